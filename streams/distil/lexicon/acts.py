"""Cues of speech acts that state nothing: questions, wishes, jokes, quotes, orders, greetings, thanks, praise."""

from __future__ import annotations

QUESTION_OPENINGS = (
    "do you know", "does anyone know", "anyone know", "any idea", "i wonder", "i'm wondering", "im wondering",
    "wondering", "let me know if", "tell me", "can you", "could you", "would you", "will you", "can someone",
    "can anyone", "remind me", "not sure if", "not sure whether", "i was wondering", "curious if", "what about",
    "how about", "i'm curious", "i'd like to know", "wonder if", "wonder whether", "wonder what", "wonder how", "wonder who",
    "no clue if", "no clue whether", "no clue what", "no clue how", "no idea if", "no idea whether", "no idea what", "no idea how",
)  # fmt: skip
WISH_OPENINGS = (
    "wish", "i wish", "we wish", "if only", "i hope", "hope", "hoping", "hopefully", "we hope", "i'd love", "i would love",
    "we'd love", "would love", "i'd like", "i would like", "would like", "i'd kill", "i would kill", "i'd give", "i would give", "i'd pay",
    "fingers crossed", "can't wait", "cant wait", "i can't wait", "we can't wait", "dreaming of", "i dream of", "looking forward",
    "i'm looking forward", "wishing", "one day i'd", "would be nice", "it would be nice", "what i'd give",
    "i've always wanted", "if i could", "would rather be", "i'd so love", "hoping to", "praying", "here's hoping", "manifesting", "wouldn't mind",
)  # fmt: skip
HYPOTHETICAL_WORDS = frozenset("maybe perhaps suppose supposing imagine theoretically hypothetically pretend".split())
HYPOTHETICAL_PHRASES = (
    "what if", "if i were", "if i was", "in theory", "thought experiment", "let's say", "lets say", "say we", "assuming",
    "i might", "we might", "not sure yet", "i should probably", "i could always", "worst case", "best case", "in another life", "in my next life", "dream on",
)  # fmt: skip
JOKE_CUES = (
    "just kidding", "jk", "kidding", "as if", "said no one ever", "yeah right", "oh sure", "oh great", "in my dreams",
    "breaking:", "breaking news", "obviously not", "not!", "plot twist", "/s", "asking for a friend",
    "i identify as", "allegedly", "achievement unlocked", "thoughts and prayers", "just what i needed",
    "nothing like", "nothing says", "nothing beats", "nothing better than", "nothing i love more", "nothing i enjoy more",
    "nothing i like more", "living the dream", "what i needed today", "what i needed right now", "here lies", "and i'm the queen",
    "and i'm the king", "and i'm the pope", "and pigs fly",
)  # fmt: skip
JOKE_TAKEN_BACK = (
    "just kidding",
    "jk",
    "only kidding",
    "kidding!",
    "i'm kidding",
    "im kidding",
    "just joking",
    "only joking",
    "thought experiment",
    "i'm here all week",
    "i'll see myself out",
    "i'll be here all night",
)
"""Said at the end of a message, they take back what it says before them."""
FICTION_OPENING = (
    r"(?:(?:so|and|ok|okay|well),? )?in (?:the|this|that|my|his|her|your|episode|season)"
    r" (?:\w+ )?(?:book|novel|film|movie|episode|show|series|season|game|campaign|play|story|comic|manga|podcast|musical|opera|sitcom"
    r"|finale|dream|nightmare|\d+)\b,?(?! (?:i|we|my|our)\b)|in (?:my|his|her|this) (?:novel|dream|nightmare|screenplay|script)\b"
)
"""A sentence that opens so tells what happens in a made-up world, unless somebody who speaks does it: "in the game we won"."""
FICTION_CUES = (
    "my novel", "my story", "the character", "the protagonist", "the hero", "once upon a time", "lyrics", "the song goes",
    "song goes", "horoscope", "chapter one", "chapter", "the poem", "the plot of", "the plot is", "fortune cookie", "fortune teller", "story begins",
    "story goes", "my character",
    "the headline", "headline:", "the saying goes", "as they say", "the proverb", "the article says", "the line goes",
    "used to say",
    "i dreamt", "i dreamed", "the villain", "the narrator", "script", "quote:",
)  # fmt: skip
GREETING_WORDS = frozenset(
    "hi hello hey hiya howdy greetings morning mornin evening afternoon goodnight night bye goodbye cheers ciao salut "
    "aloha hola namaste welcome cya ttyl congrats congratulations thanks thank thx ta welcome sorry please happy merry "
    "good blessings kudos bravo".split()
)
GREETING_PHRASES = (
    "good morning", "good evening", "good afternoon", "good night", "good to see you", "nice to see you", "nice to meet you", "great to hear",
    "nice to hear", "good to hear", "long time no", "talk soon", "talk to you", "see you", "see ya", "take care",
    "have a good", "have a great", "have a nice", "have fun", "happy birthday", "happy new", "merry christmas", "ready when you are",
    "ready whenever", "you're welcome", "youre welcome", "no problem", "no worries", "my pleasure", "good luck", "well done", "way to go", "how are you",
    "keep it up", "keep up", "thank you", "thanks", "glad to", "happy to help", "i appreciate", "appreciate", "catch you later", "i'll keep you posted",
    "i'll keep ya posted", "happy to", "let me know", "that's all", "anytime", "of course", "sounds good", "sounds like", "sounds great", "sounds awesome",
    "feel free", "i'll let you know", "best wishes", "all the best", "sleep well",
    "sweet dreams", "rest well", "safe travels", "safe journey", "have a safe", "get well", "welcome back", "i can't even", "i'm dead", "i'm crying",
    "i'm speechless", "i'm screaming", "couldn't agree more", "i couldn't agree more", "couldn't have said", "i couldn't have said", "love this",
    "love that", "speaking of which", "moving on to", "moving on from", "loving this", "loving that", "no words", "i have no words",
)  # fmt: skip
PRAISE = frozenset(
    "awesome amazing great wonderful fantastic incredible lovely beautiful gorgeous stunning brilliant excellent cool "
    "sweet adorable cute perfect super unreal impressive inspiring nice fun funny hilarious delicious yummy terrific superb "
    "insane crazy wild sick legend legendary genius star proud priceless magical epic fab fabulous phenomenal "
    "outstanding remarkable kind thoughtful brave strong talented lucky special powerful rewarding meaningful important "
    "vital key essential crucial worth true fair right wrong weird strange sad awful terrible horrible tough hard "
    "rough annoying understandable interesting exciting excited heartwarming relatable good bad best better worse "
    "helpful moving refreshing calming therapeutic deep real everything dope lit wholesome easy quick enlightening "
    "life-changing thought-provoking necessary fulfilling uplifting comforting peaceful relaxing freeing nicest greatest "
    "loveliest kindest sweetest classic epic huge neat blast thrill delight treat hoot riot relief joy".split()
)
"""Words of judgement: a clause about "that", "it" or "you" that rests on one of them reacts and states nothing."""
REACTING = (
    "goosebumps", "chills", "shivers", "made my day", "made my week", "made my morning", "blew my mind", "blew me away", "saved my bacon",
    "saved my life", "saved my day", "ruined all other", "out of the park", "killed it", "nailed it", "slaps", "is fire", "was fire",
    "is choice", "next level", "on point", "chef's kiss", "hits different", "in tears", "in stitches", "hit the spot", "thanks you", "thank you",
)  # fmt: skip
"""Figures of speech for being impressed: about "that …", "this …", "your …" or "it" they react and state nothing."""
WEATHER = frozenset("sun rain snow wind fog frost weather sky skies clouds".split())
"""What the weather is made of: that it is there, now, passes the time."""
SMALL_TALK = frozenset(
    "weather sunny rainy raining drizzling snowing windy foggy humid chilly freezing dark cold hot breeze sunset sunrise pouring muggy breezy cloudy".split()
)
"""Of "it", "there" or nothing, these only pass the time."""
VAGUE_VERBS = frozenset(
    "make matter help mean inspire remind motivate bring feel show take stand turn happen seem".split()
)
"""With an "it" or "that" that points nowhere, these judge rather than state."""
FEELINGS = frozenset(
    "happy glad proud sorry thrilled excited grateful thankful jealous stoked pumped delighted relieved pleased "
    "impressed touched moved honored honoured blessed surprised amazed shocked curious sure afraid certain worried "
    "confused hopeful optimistic inspired overwhelmed speechless fine good great okay ok keen".split()
)
"""Passing feelings: "I'm so glad" states nothing that lasts."""
MIND_VERBS = frozenset(
    "think guess know mean agree believe suppose wonder bet understand hear imagine appreciate thank doubt remember "
    "hope wish see feel find assume reckon admit apologise apologize love wonder congratulate recommend suggest advise".split()
)
"""Verbs of the mind: with a bare or clausal object they comment and do not state. (``love`` only with "that", "it", "how".)"""
HEDGES = (
    "i think",
    "i guess",
    "i suppose",
    "i reckon",
    "i believe",
    "i feel like",
    "i mean",
    "i heard",
    "i bet",
    "you know",
)
FRAMES = (
    "just so you know", "for the record", "for your information", "fyi", "heads up", "heads-up", "quick update", "small update", "update",
    "turns out", "it turns out", "as it turns out", "note that", "please note that", "please note", "note", "write down that", "write down",
    "remember that", "remember", "please remember that", "please remember", "make a note that", "log that", "log", "save that", "keep in mind that",
    "keep in mind", "the good news is that", "the good news is", "good news is", "good news", "bad news", "the bad news is",
    "forgot to say", "forgot to mention", "by the way", "btw", "guess what", "i wanted to tell you that", "i wanted to tell you about", "i wanted to tell you", "i have to say",
    "i must say", "to be honest", "tbh", "the thing is", "fact is", "the truth is", "according to plan", "apparently", "as you know",
    "i just wanted to let you know that", "i just wanted to let you know", "i wanted to let you know that",
    "i wanted to let you know", "just wanted to let you know that", "just wanted to let you know", "wanted to let you know that",
    "wanted to let you know", "i just wanted to tell you that", "i just wanted to tell you", "just wanted to tell you that",
    "just wanted to tell you", "wanted to tell you that", "wanted to tell you", "i just wanted to say that", "i just wanted to say",
    "i wanted to say that", "i wanted to say", "just wanted to say that", "just wanted to say", "i wanted to share that",
    "just wanted to share that", "big news", "happy to report", "i can confirm that", "just to confirm", "confirming that", "i should mention that", "did i mention that",
    "did i tell you that", "please record that", "record that", "add to my profile that", "put down that", "jot down that", "so basically", "anyway",
    "i regret to say that", "i regret to say", "i regret to inform you that", "we regret to inform you that", "i'm afraid that", "i'm afraid",
    "i am afraid that", "i am afraid", "i'm sorry to say that", "i am sorry to say that", "i am sorry to say", "i'm sorry to say",
    "i realized that", "i realised that", "i forgot to mention that", "let it be known that", "you should know that",
)  # fmt: skip
"""Openings that only introduce a statement: what follows them is judged."""
TAKE_BACKS = (
    "i was joking", "i was just joking", "i was only joking", "i was kidding", "i was just kidding", "i was only kidding",
    "scratch that", "scrap that", "strike that", "never mind", "nevermind", "ignore that", "forget that", "forget what i said",
    "i take that back", "i take it back", "that was wrong", "that was a joke", "it was a joke",
    "disregard that", "ignore what i said", "i made that up", "not true after all", "that's not true", "i lied",
)  # fmt: skip
"""Sentences that take an earlier statement back. Those that admit a mistake are in ``corrections``."""
STANDING = ("whenever", "every time", "each time", "as long as")
"""Openings of standing instructions: an order that holds on, which is a state."""
LASTING_FEELINGS = frozenset("allergic afraid scared intolerant addicted".split())
BEFORE_NOUNS = frozenset("board budget dance design garden project test trade work".split())
"""Verbs that are nouns before the noun of something that takes place: "board meeting", "budget review"."""
