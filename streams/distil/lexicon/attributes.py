"""What a statement is about: patterns of clauses, the attribute they tell, and where its value stands.

Each row: attribute (lower-case noun), pattern over the clause in lower case; the group ``v`` is the value as said.
The first row that matches counts. Patterns are about subjects and verbs in general, never about particular things.
"""

from __future__ import annotations

import re

END = r"(?=\s+(?:since|until|till|from|for|in|at|on|now|today|yesterday|tomorrow|last|next|this|because|and|but|so|with|as|when|while|though|back|again|too|also|instead|after all|anymore|any more|these days|right now)\b|[,.](?!\d)|[;!?]|$)"
_TEXT = r"(?:[^,.;!?]|(?<=\d)[,.](?=\d))+?"
"""Up to a mark, but "1,150" is one number."""
_V = rf"(?P<v>{_TEXT})" + END
_NO_TIME = r"(?!(?:\d|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight|me|us|him|her|them|it|once|home|last|least|all|first)\b)"
_NAME = r"(?-i:[A-Z])[\w.&'-]*(?: (?:&|and|of|the|(?-i:[A-Z])[\w.&'-]*))*"
_FIRM = r"(?-i:[A-Z])[\w&'-]*(?: [\w&'-]+)*? (?:logistics|solutions|systems|group|partners|consulting|insurance|services|airlines?|motors|foods|labs?|studios?|bank|ltd|inc|gmbh|robotics|software|technologies|pharma|media|press|maps|energy|solar|dairy|printing|tools|(?:& )?sons|(?:& )?co)"
_PLACE_OF_WORK = r"(?:bakery|shop|store|supermarket|school|kindergarten|nursery|hospital|clinic|surgery|pharmacy|bank|hotel|hostel|restaurant|caf[eé]|cafeteria|bar|pub|library|archive|museum|gallery|theatre|theater|cinema|factory|plant|mill|mine|lab|laboratory|studio|garage|workshop|warehouse|farm|winery|brewery|zoo|call cent(?:er|re)|newspaper|publisher|law firm|firm|company|agency|startup|start-up|university|institute|ministry|post office|fire station|police station|salon|laundry|butcher's|bookshop|print shop)"
_TITLE = r"(?:[^\W\d_][\w-]* ){0,3}?[^\W\d_][\w-]*"
_NO_TASK = r"(?!(?:the moment|the time|the summer|the weekend|night|home|work|once|fun|sure|them|you|now|life|a|one)\b)"
_NO_JOB = r"(?!(?:member|guest|patient|regular|customer|visitor|volunteer|parent|fan|friend|resident|neighbou?r|beginner|newcomer|stranger|tenant|sucker|stickler|dancer|runner|speaker|winner|loser|fit|match)s?\b)"
_IN_PLACE = r"(?: (?:in|near) (?-i:(?!January|February|March|April|May\b|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)[A-Z])[^\W\d_]*(?:[ -](?-i:[A-Z])[^\W\d_]*)*)?"
_BE = r"(?:am|'m|is|'s|are|'re|was|were|be|been|isn't|aren't|wasn't|not)"

_ROWS: tuple[tuple[str, str], ...] = (
    ("phone", r"\b(?:phone|mobile|cell)(?: number)?\b.*?(?P<v>\+?\d[\d ()/-]{5,})"),
    ("phone", r"\b(?:my|our|his|her|their|new) number(?: is|:| is now)? (?P<v>\+?\d[\d ()/-]{5,})"),
    ("phone", r"^number(?: is|:| is now)? (?P<v>\+?\d[\d ()/-]{5,})"),
    ("address", r"^(?:my |our )?(?:new |current )?(?:home |postal )?address(?: is|:| is now)? (?P<v>\d[^;!?]*?)(?= (?:if|in case|so|when|since|from)\b|[;!?]|$)"),
    ("email", r"(?P<v>[\w.+-]+@[\w-]+\.[\w.]+)"),
    ("birthday", r"\bbirthday (?:is|was|falls)(?: on)? (?P<v>.+)"),
    ("name", r"\b(?:name is|am called|is called|are called|'s called|'m called|go(?:es)? by) " + _V),
    ("allergy", r"\ballerg(?:ic to|y to) (?P<v>[^,.;!?]+?)" + END),
    ("allergy", r"\b(?P<v>\w+)[- ]intolerant\b"),
    ("diet", r"\b(?P<v>vegan|vegetarian|pescatarian|gluten[- ]free|keto|halal|kosher|paleo)\b"),
    ("diet", r"\b(?:don't|doesn't|no longer|stopped|quit|gave up|stop|avoid) (?:eat(?:ing)? )(?P<v>[^,.;!?]+?)" + END),
    ("diet", r"\b(?:eat|eats) (?P<v>[^,.;!?]+?)" + END),
    ("drink", r"\b(?:drink|drinks|drinking|switched to|on) (?P<v>(?:\w+ )?(?:milk|coffee|tea|decaf|water|wine|beer|juice|soda|alcohol))\b"),
    ("smoking", r"\b(?P<v>smok(?:e|es|ing|ed|er)|cigarettes|vap(?:e|ed|ing))\b"),
    ("relationship status", r"\b(?:am|'m|is|'s|are|'re|was|were|been|be|got|get|gets|getting|became|becoming|isn't|aren't|ain't) (?:\w+ )?(?P<v>married|engaged|divorced|separated|single|widowed|dating(?= (?:(?-i:[A-Z])\w|someone|somebody|each|him|her|again|since|for|an? )|[,.;!?]|$))\b(?![-\w]| (?:in|with|from|by|origin|file|handed)\b)"),
    ("relationship status", r"\b(?:we|and i|me and (?-i:[A-Z])\w+|(?-i:[A-Z])\w+ and me|i|they) ?(?:are|'re|have been|'ve been) (?:now |officially |still )?(?P<v>together|official|a couple|an item)\b(?! (?:in|at|on|with|again)\b)"),
    ("relationship status", r"\ban? (?P<v>single) (?:mom|mum|mother|dad|father|parent)\b"),
    ("relationship status", r"\b(?:i|we|he|she|they|and (?-i:[A-Z])\w+|and i|have|has|'ve|had|just|both) (?:\w+ )?(?P<v>broke up|broken up|split up|divorced|separated)\b(?! (?:the|our|my|into|by|from the|an?|at|on|near|before|outside)\b)"),
    ("relationship status", r"\b(?P<v>proposed) to (?:me|him|her|(?-i:[A-Z])\w+)\b|\b(?P<v2>seeing someone|married(?= (?:each other|my|his|her|(?-i:[A-Z]))))"),
    ("pregnancy", r"\b(?P<v>pregnant|expecting(?: a baby| twins)?(?= (?:in|again|and|for)\b|[,.;!?]|$)|due date)\b"),
    ("relationship status", r"\b(?:have|has|'ve|got|have got|has got|'ve got|found) (?:an? )(?:new )?(?P<v>girlfriend|boyfriend|fianc[eé]e?)\b"),
    ("relationship status", r"\bbeen (?P<v>seeing (?-i:(?!Dr|Doctor|Prof|Mr|Mrs|Ms)[A-Z])\w+) (?:since|for)\b"),
    ("shift", r"\b(?:on|do|does|doing|work|works|working|back (?:on|to)|(?:put|moved|switched|changed) (?:me |him |her |us )?(?:back )?(?:on |to |onto )) ?(?:the )?(?P<v>nights|night shifts?|days|day shifts?|earlies|early shifts?|lates|late shifts?)(?= (?:at|in|for|now|again|until|till|since|from|this|next)\b|[,.;!?]|$)"),
    ("hours of work", r"\b(?:work|works|working|went|gone|go|goes|going|back) (?:now )?(?:to )?(?P<v>part[- ]time|full[- ]time)\b"),
    ("tariff", r"\b(?:on|have|has|got|upgraded? (?:\w+ )?to|downgraded? (?:\w+ )?to|switched to|moved to|went (?:with|for)|took) (?:the |an? |our |your )?(?P<v>(?-i:[A-Z])[\w+]*(?: (?-i:[A-Z])[\w+]*)?|basic|free|standard|family|premium|starter|annual|yearly|monthly) (?:plan|package|tariff|tier)\b"),
    ("job", r"\b(?:taken up|took up|taken on|took on|accepted|started|have|has|got|found|landed|moved into|begun|began|in) (?:an? |my |the |his |her )?(?:new )?(?:position|role|post|job) as (?:an? |the )?(?P<v>" + _TITLE + r"(?: (?:at|for|with) " + _NO_TIME + _NO_TASK + r"[^,.;!?]+?)?)" + END),
    ("employer", r"\b(?:have|has|got|get|found|landed|accepted|took|started|starting|start|starts|begin|began|'ve got|'ve) (?:an? |my |the )?(?:new )?(?:\w+ )?(?:job|position|post|traineeship|internship|apprenticeship) (?:as (?:an? |the )?" + _TITLE + r" )?(?:at|with|for) " + _NO_TIME + _NO_TASK + r"(?P<v>[^,.;!?]+?)" + END),
    ("job hunt", r"\b(?:looking|searching|hunting) for (?:an? |another )?(?:new )?(?P<v>work|job|position)\b|\b(?P<v2>unemployed|jobless|out of work|between jobs)\b"),
    ("job", r"\b(?:got|landed|took|accepted) the (?P<v>(?:[\w&'-]+ ){0,2}?[\w&'-]+) job\b"),
    ("job", r"\b(?:start|starts|started|starting|work|works|working|worked) as (?:an? |the |our )?(?P<v>" + _TITLE + r" (?:at|for|with) " + _NO_TIME + _NO_TASK + r"[^,.;!?]+?)" + END),
    ("job", r"\b(?:start|starts|started|starting) as (?:an? |the |our )(?P<v>" + _TITLE + r")" + END),
    ("employer", r"\b(?:start|starts|started|starting|work|works|working|worked) (?:at|for) (?:the )?(?P<v>" + _NAME + r")(?: as\b.*)" ),
    ("job", _BE + r" (?:now |currently |still )?(?:an? |the )(?P<v>(?:[^\W\d_][\w-]* ){0,2}" + _NO_JOB + r"[^\W\d_][\w-]*(?:er|or|ist|ant|ent|ian|man|woman|smith|nurse|chef|cook|clerk|guide|pilot|judge|coach|head|lead|vet|aide|intern) (?:at|with|for) " + _NO_TASK + _NAME + r")"),
    ("employer", r"\b(?:joined|joining|join|joins) (?:the )?(?P<v>" + _NAME + r")(?= as (?:an?|the|their)\b)"),
    ("employer", _BE + r" (?:now |currently )?(?:at|with) (?:the )?(?P<v>" + _FIRM + r")(?= (?:now|these days|nowadays)\b)"),
    ("employer", r"\bbeen (?:with|at|working (?:at|for|with)) (?:the )?(?P<v>" + _NAME + r")(?= (?:since|for)\b)"),
    ("employer", r"\b(?:work|works|working|worked|job) (?:full[- ]time |part[- ]time )?in (?P<v>(?:an? |the |our )(?:[\w-]+ ){0,2}" + _PLACE_OF_WORK + r")\b"),
    ("employer", r"\b(?:quit|quitting|leave|left|leaving|resigned from|resign from) (?:my job (?:at|with) )?(?P<v>(?:the |my )(?:[\w.-]+ ){0,2}" + _PLACE_OF_WORK + r")(?= (?:after|for good|last|in|because|since)\b|[,.;!?]|$)"),
    ("job", r"\b(?:drive|drives|driving) (?:an? |the )?(?P<v>(?:school )?(?:bus|buses|taxi|taxis|cab|tram|trams|train|trains|truck|trucks|lorry|lorries|forklift|ambulance))\b"),
    ("job", r"\b(?P<v>)(?:sacked|made redundant|let (?:me|him|her|us) go|was let go|were let go|lost (?:my|his|her) job)\b"),
    ("studies", r"\b(?P<v>)(?:graduated|dropped out of (?:university|uni|college|school)|dropped out(?! of\b)|(?:finished|completed|got) (?:my|his|her) (?:degree|studies|phd|bachelor(?:'s)?|master(?:'s)?))\b"),
    ("home", r"\b(?:moved|moving|move|moves|relocated|relocating) (?:back )?from [^,.;!?]+? to (?P<v>[^,.;!?]+?" + _IN_PLACE + r")" + END),
    ("home", r"\b(?:live|lives|living|lived|moved|moving|(?:are|'re|am|'m)(?= in (?:an? |our )(?:rented|own|shared|council|new)\b)) (?:\w+ )?(?:in|into|to) (?P<v>(?:an? |our |my |the )(?:[\w-]+ ){0,3}(?:house|flat|apartment|room|studio|cottage|place)" + _IN_PLACE + r")" + END),
    ("employer", r"\b(?:work|works|working|worked|started|start|starts|interning|employed) (?:full[- ]time |part[- ]time )?(?:at|for) " + _NO_TIME + r"(?P<v>[^,.;!?]+?)" + END),
    ("employer", _BE + r" (?:now |currently |still )?with (?P<v>(?-i:[A-Z])[\w&'-]*(?: (?:&|and|of|(?-i:[A-Z])[\w&'-]*))*)(?= (?:since|from|as of)\b)"),
    ("employer", _BE + r" (?:now |currently |still )?with (?P<v>(?-i:[A-Z])[\w&'-]*(?: [\w&'-]+)*? (?:logistics|solutions|systems|group|partners|consulting|insurance|services|airlines?|motors|foods|labs?|studios?|bank|ltd|inc|gmbh|(?:& )?sons|(?:& )?co))\b"),
    ("club role", _BE + r" (?:now |currently |still )?(?:an? |the |our )?(?P<v>(?:\w+[ -]){0,2}(?:treasurer|secretary|chair|chairman|chairwoman|captain|president|coach|organiser|organizer|member|volunteer|goalkeeper|webmaster|librarian)) (?:at|of|for|in|on) (?:the |our |my |an? )?(?P<what>(?:[^\W\d_]+ ){0,3}(?:club|choir|band|team|league|society|committee|orchestra|association|union|board|council))\b"),
    ("employer", r"\b(?:joined|joining|join|left|leaving|quit) (?:the )?(?P<v>(?:company|firm|team|agency|clinic|bank|startup|hospital|school)[^,.;!?]*?)" + END),
    ("job", r"\b(?:promoted|promotion) to (?:the |an? )?(?P<v>[^,.;!?]+?)" + END),
    ("job", r"\b(?P<v>)(?:new job|got the job|job offer|got promoted|promotion|laid (?:me |him |her |us )?off|fired|resigned|resign|gave notice|retired|retire|internship|quit my job|day job|(?:switched|changed) jobs)\b"),
    ("employer", r"\b(?:hired|employed|taken on) by (?:the )?(?P<v>[^,.;!?]+?)" + END),
    ("relationship status", r"\bin a (?:(?:long[- ]distance|serious|new|steady) )?(?P<v>relationship)\b"),
    ("job", r"\b(?:work|works|working|worked) as (?:an? |the )?(?P<v>[^,.;!?]+?)" + END),
    ("job", _BE + r" (?:now |currently |still )?(?:an? |the )(?P<v>(?:\w+[ -]){0,2}(?:nurse|teacher|engineer|doctor|lawyer|designer|developer|manager|chef|cook|driver|student|writer|artist|accountant|electrician|plumber|baker|waiter|barista|waitress|hairdresser|barber|butcher|florist|builder|painter|courier|carer|nanny|childminder|firefighter|soldier|singer|actor|actress|salesman|saleswoman|stewardess|steward|pilot|analyst|consultant|director|editor|carpenter|mechanic|farmer|scientist|researcher|professor|librarian|receptionist|coach|treasurer|secretary|chair|captain|president|intern|apprentice|assistant|clerk|cashier|photographer|musician|welder|tailor|joiner|mason|roofer|gardener|cleaner|trainer|tutor|translator|journalist|vet|dentist|midwife|paramedic|surgeon|architect|therapist|counselor|counsellor|freelancer|(?:post|fire|fisher|milk|police)(?:man|woman)|\w{3,}(?:ologist|ician|keeper|worker|maker|smith))(?: (?:at|for|with) (?!the moment|night|home|work\b)" + _NO_TIME + r"[^,.;!?]+?" + END + r")?)\b"),
    ("studies", r"\b(?:study|studies|studying|studied|majoring in|major in|enrolled (?:in|at)|degree in|phd in|master's in|learning|learn) (?P<v>[^,.;!?]+?)" + END),
    ("studies", r"\b(?:switched|changed|transferred)(?: over| from [^,.;!?]+?)? to (?P<v>law|history|medicine|physics|biology|chemistry|math(?:s|ematics)?|economics|psychology|philosophy|(?:\w+ )?engineering|(?:art|music|film) (?:history|theory|studies)|literature|linguistics|sociology|politics|(?:political|computer|data|sports?) science|architecture|business|nursing|theology|geography|geology|geography|dentistry|pharmacy|astronomy|archaeology|anthropology|journalism)\b"),
    ("assignment", _BE + r" on (?:the )?(?P<v>(?:[^\W\d_]+[ -]){0,2}(?:rollout|project|team|case|account|shift|crew|night shift))\b"),
    ("assignment", r"\b(?:moved over|switched over|transferred|reassigned|assigned) to (?P<v>[^,.;!?]+?)" + END),
    ("home", r"\b(?:live|lives|living|lived|staying|based|reside|resides|settled) (?:on (?:my|our|his|her|their) own )?(?:in|into|at|on|near|with) (?!(?:my|our|his|her|their) own\b)(?P<v>[^,.;!?]+?)" + END),
    ("home", r"(?<!was )(?<!were )(?<!been )\b(?:moved|moving|move|moves|relocated|relocating) (?:back )?(?:in with|to|into|in|from|out of|out) (?!(?:plan|tears|step|level|phase|stage|page|chapter|bed)\b)(?!the (?:next|other|front|back|top|end|left|right|window|wall|table)\b)(?P<v>[^,.;!?]+?)" + END),
    ("home", r"\b(?:moved|moving|move) (?P<v>)(?:house|flats)\b"),
    ("home", r"^(?:my|our) (?:place|home|flat|apartment) is (?P<v>(?:an? |the )(?:[\w-]+ ){0,2}(?:room|flat|apartment|studio|loft|house|cottage|cabin|attic|boat|houseboat)\b[^,.;!?]*|(?:in|near) (?-i:[A-Z])[^,.;!?]+|above [^,.;!?]+)"),
    ("home", r"\b(?:left|leaving) (?P<v>(?-i:[A-Z]\w+)(?: (?-i:[A-Z]\w+))*)" + END),
    ("rent", r"\brent (?:is|was|goes|went|costs|rises|will be)(?: up| down)?(?: to| by)? (?!(?:up|down)\b)" + _V),
    ("rent", r"\brent (?:has |is )?(?:gone|going|went|goes) (?:up|down)\b"),
    ("age", r"\b(?:turned|turn|turns|turning) (?P<v>\d{1,3}|\w+ty(?:-\w+)?|\w+teen)\b|\b(?P<v2>\d{1,3}) years old\b"),
    ("favourite", r"\bfavou?rite (?P<what>\w+(?: \w+)??)(?: these days| now| right now| at the moment)? (?:is|was|are) (?P<v>[^,.;!?]+)"),
    ("language", r"\b(?:speak|speaks|spoke) (?P<v>[^,.;!?]+?)" + END),
    ("car", r"\b(?:drive|drives|driving) (?:an? |the |my )(?P<v>[^,.;!?]+?)" + END),
    ("pet", r"\b(?:have|has|had|got|adopted|adopt|getting|get|keep|keeps|own|bought|'ve got|picking up) (?:an? |the |two |three |four |\d+ |our |my |some )?(?P<v>(?:\w+ )?(?:dog|cat|puppy|kitten|rabbit|hamster|parrot|budgie|horse|pony|goldfish|fish|tortoise|hens?|chickens|ducks|guinea pig|lizard|snake)s?)\b"),
    ("children", r"\b(?:have|has|had|expecting) (?:an? |the |two |three |four |\d+ )?(?P<v>(?:\w+ )?(?:baby|twins|kids?|child|children|sons?|daughters?))\b"),
    ("medication", r"\b(?:take|takes|taking|started on|put (?:me|her|him) on|on) (?P<v>(?:\w+ )?(?:medication|meds|pills?|insulin|antibiotics|statins|antidepressants|painkillers))\b"),
    ("membership", r"\b(?:joined|join|left|member of|signed up (?:for|to|with)|sign up (?:for|to|with)|enrolled in|in) (?:the |an? )?(?P<v>(?:[^\W\d_]+ ){0,3}(?:club|choir|band|team|gym|class|course|group|league|society|committee|orchestra))\b"),
    ("instrument", r"\bplay(?:s|ing|ed)? (?:the )?(?P<v>piano|guitar|violin|cello|drums|flute|trumpet|sax(?:ophone)?|fiddle|bass|ukulele|clarinet|organ|accordion)\b"),
    ("condition", r"\b(?:have|has|diagnosed with|suffer from|suffers from|got) (?:an? )?(?P<v>(?:\w+ )?(?:asthma|diabetes|epilepsy|migraines?|arthritis|flu|covid|cold|fever|depression|anxiety|insomnia|adhd|cancer|tendonitis|injury))\b"),
    ("weight", r"\b(?:weigh|weighs|lost|gained|put on) (?P<v>[\w.]+ (?:kg|kilos?|pounds|lbs|stone))\b"),
)  # fmt: skip

OF_PEOPLE = frozenset(
    "shift home employer job studies diet drink smoking allergy age language instrument pet children car membership assignment condition".split()
) | {"relationship status", "hours of work"}
"""Attributes that only people have: of a thing, "moved to Mondays" tells no home."""

SITES = frozenset(
    "office shop store studio practice surgery clinic company firm school workshop salon gym club branch".split()
)
"""What moves, and nobody lives there."""

EVENTS = (
    "appointment dentist wedding dinner lunch breakfast brunch party meeting concert exam interview flight trip holiday vacation conference "
    "surgery operation checkup check-up rehearsal class lesson race marathon match game tournament picnic barbecue bbq cookout wedding "
    "birthday graduation delivery viewing move visit call training workshop gig festival show recital competition ceremony funeral "
    "launch release deadline camping hike retreat reunion standup sync review retro demo shift rent lease visa contract newsletter"
).split()
"""Nouns of things that get dated: the attribute of a statement that has one of them as subject or object."""

ROWS: tuple[tuple[str, re.Pattern[str]], ...] = tuple((name, re.compile(p, re.IGNORECASE)) for name, p in _ROWS)
