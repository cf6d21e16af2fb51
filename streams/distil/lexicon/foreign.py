"""Frequent words of other languages that English does not use: they tell a sentence's language, not what it says."""

from __future__ import annotations

_GERMAN = (
    "ich du wir ihr ist sind habe haben nicht kein keine keinen und oder aber der das dem ein eine einen einem mein meine "
    "meinen meiner auf aus bei mit nach seit zum zur für über wohne wohnt arbeite arbeitet jetzt heute gestern sehr schon auch mag"
)
_FRENCH = (
    "je tu il elle nous vous ils suis est sont avons avez ont le une et dans avec depuis pas jamais mon notre mes habite "
    "travaille aime maintenant hier aujourd'hui demain j'ai j'habite j'aime c'est n'ai n'aime d'une à très aussi frère sœur"
)
_SPANISH = (
    "yo él ella soy es está estoy estamos tengo tiene tenemos los las una del y pero con para mi mis nuestro vivo vive trabajo "
    "trabaja nunca siempre ahora ayer hoy mañana muy también desde hace hermano hermana madre padre como compré"
)
_ITALIAN = (
    "io lui lei noi loro sono siamo ho hai abbiamo il gli uno della nel nella alla mio mia miei abito abita lavoro lavora "
    "adesso ieri oggi domani sempre molto anche più da anni comprato"
)
_PORTUGUESE = (
    "eu você ele ela nós sou é estou tenho temos os um uma meu minha moro mora trabalho trabalha agora ontem hoje amanhã "
    "muito não em comprei irmão irmã"
)
_DUTCH = "ik jij hij zij wij heb heeft hebben het een niet geen mijn jouw woon woont werk werkt gisteren vandaag ook naar voor zus broer"
_NORDIC = (
    "jag jeg han hon hun är och og inte ikke mitt mina på från fra bor jobbar jobber arbetar igår minä hän olen ovat minulla "
    "mutta asun nyt eilen kanssa"
)
_SLAVIC = "jest jestem są mam nie się oraz ale mój moja mieszkam pracuję teraz wczoraj dziś bardzo já jsem jsou mám můj bydlím pracuji teď včera"
_OTHERS = (
    "én vagyok van nincs és nem egy lakom dolgozom most tegnap ben değil bir çok şimdi dün yaşıyorum çalışıyorum oturuyorum "
    "sunt este și dar în din locuiesc lucrez acum saya aku dia kami kita adalah dari dan tapi tidak sudah punya tinggal "
    "bekerja sekarang kemarin ako siya ang mga hindi nakatira ngayon kahapon mimi yeye sisi kwa ninaishi sasa jana yangu "
    "tôi bạn là có không và ở với sống làm"
)
_ENGLISH_TOO = "ben is most van dan bin die den war hat men den in on no me we do so to he as at be by my or ma les min mit er w ja"
FOREIGN = frozenset(
    " ".join((_GERMAN, _FRENCH, _SPANISH, _ITALIAN, _PORTUGUESE, _DUTCH, _NORDIC, _SLAVIC, _OTHERS)).split()
) - frozenset(_ENGLISH_TOO.split())
"""Words that tell a sentence's language."""

BORROWED = frozenset(
    "café cafés résumé naïve fiancé fiancée crème brûlée jalapeño piñata façade déjà décor entrée soufflé sauté à née "
    "matinée cliché protégé touché pâté açaí señor señora".split()
)
"""Words with accents that English uses: they tell no other language."""

COURTESY = frozenset(
    "bonjour bonsoir salut merci hola gracias buenos buenas adiós hasta danke bitte guten hallo tschüss servus ciao grazie buongiorno "
    "buonasera prego obrigado obrigada olá bom boa hej tack hei takk moi kiitos cześć dzięki dzień ahoj děkuji szia köszönöm "
    "merhaba teşekkürler selam bună mulțumesc selamat terima salamat magandang asante habari xin goedemorgen dank bedankt dag aloha "
    "namaste привет спасибо здравствуйте γεια ευχαριστώ".split()
)
"""Words that open a greeting or thanks: a short sentence with one of them states nothing."""

NEGATIONS = frozenset(
    "nicht kein keine keinen keinem nie niemals pas jamais nunca jamás não niet geen nooit inte aldrig ikke nie ne nem nincs "
    "değil yok nu tidak bukan hindi không не нет ні δεν".split()
)
"""Words that deny, where a sentence is known not to be English."""

NEGATING = ("不", "没", "沒", "ない", "ません", "않", "안 ", "لا ", "לא ", "नहीं", "ไม่")
"""Pieces of words that deny, in scripts without spaces or with other joins."""
