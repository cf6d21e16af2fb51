"""Frequent words of other languages that English does not use: they tell a sentence's language."""

from __future__ import annotations

FOREIGN = frozenset(
    "ich ist und nicht wir sind habe bin ein eine der das dem den mein meine mit für auf seit wohne arbeite jetzt "
    "je suis le les une est et dans mon ma nous avons j'ai pas depuis habite à travaille maintenant "
    "yo soy el los una es y mi tengo vivo trabajo estoy desde ahora pero muy con para "
    "io sono il gli un' nel nella ho abito lavoro adesso mia mio "
    "eu sou o os uma moro trabalho agora minha meu não tenho em estou "
    "ik ben het een mijn woon werk niet nu "
    "jag är och bor jobbar inte jeg er og ikke mit min mieszkam pracuję jestem nie się "
    "ja w na jest mam olen minä asun saya adalah tinggal bekerja ako nakatira ben yaşıyorum çalışıyorum bir".split()
) - frozenset("a in is on no me we do so to he as at be by my or ma ben les min mit es er o el w ja mi".split())
