"""Words and sentence patterns of the corpus in :mod:`isthmus.datasets.synthetic_bilingual`."""

from __future__ import annotations

from isthmus.datasets.synthetic_bilingual_grammar import (
    SentencePatterns,
    TopicWords,
    read_adjectives,
    read_nouns,
    read_verbs,
)

__all__ = ["ENGLISH", "GERMAN", "NEUTRAL", "TOPICS"]

_BOOKS = TopicWords(
    nouns=read_nouns("""
        book books: das Buch Bücher Büchern
        novel novels: der Roman Romane Romanen
        author authors: der Autor Autoren Autoren / der Verfasser Verfasser Verfassern
        page pages: die Seite Seiten Seiten
        chapter chapters: das Kapitel Kapitel Kapiteln
        reader readers: der Leser Leser Lesern
        publisher publishers: der Verlag Verlage Verlagen
        library libraries: die Bücherei Büchereien Büchereien
        poem poems: das Gedicht Gedichte Gedichten
        poet poets: der Dichter Dichter Dichtern
        tale tales: die Erzählung Erzählungen Erzählungen
        volume volumes: der Band Bände Bänden
        translation translations: die Übersetzung Übersetzungen Übersetzungen
        paperback paperbacks: das Taschenbuch Taschenbücher Taschenbüchern
        shelf shelves: das Regal Regale Regalen
        paragraph paragraphs: der Absatz Absätze Absätzen
        sentence sentences: der Satz Sätze Sätzen
        preface prefaces: das Vorwort Vorworte Vorworten
        footnote footnotes: die Fußnote Fußnoten Fußnoten
        narrator narrators: der Erzähler Erzähler Erzählern
        bookmark bookmarks: das Lesezeichen Lesezeichen Lesezeichen
        letter letters: der Brief Briefe Briefen
        edition editions: die Ausgabe Ausgaben Ausgaben / die Auflage Auflagen Auflagen
        biography biographies: die Lebensgeschichte Lebensgeschichten Lebensgeschichten
        essay essays: der Essay Essays Essays
        text texts: der Text Texte Texten
        bookseller booksellers: der Buchhändler Buchhändler Buchhändlern
        manuscript manuscripts: die Handschrift Handschriften Handschriften
    """),
    verbs=read_verbs("""
        read read: lesen gelesen
        leaf leafed: blättern geblättert
        write wrote: schreiben geschrieben
    """),
    adjectives=read_adjectives("""
        printed: gedruckt
        bound: gebunden
        literary: literarisch
        poetic: dichterisch
    """),
)
_FILMS = TopicWords(
    nouns=read_nouns("""
        film films: der Film Filme Filmen
        cinema cinemas: das Kino Kinos Kinos
        actor actors: der Schauspieler Schauspieler Schauspielern
        actress actresses: die Schauspielerin Schauspielerinnen Schauspielerinnen
        director directors: der Regisseur Regisseure Regisseuren
        screen screens: die Leinwand Leinwände Leinwänden / der Bildschirm Bildschirme Bildschirmen
        camera cameras: die Kamera Kameras Kameras
        scene scenes: die Szene Szenen Szenen
        screenplay screenplays: das Drehbuch Drehbücher Drehbüchern
        thriller thrillers: der Thriller Thriller Thrillern
        trailer trailers: der Trailer Trailer Trailern
        subtitle subtitles: der Untertitel Untertitel Untertiteln
        costume costumes: das Kostüm Kostüme Kostümen
        skirt skirts: der Rock Röcke Röcken
        viewer viewers: der Zuschauer Zuschauer Zuschauern
        sequel sequels: die Fortsetzung Fortsetzungen Fortsetzungen
        chase chases: die Verfolgungsjagd Verfolgungsjagden Verfolgungsjagden
        cut cuts: der Schnitt Schnitte Schnitten
        comedy comedies: die Komödie Komödien Komödien / das Lustspiel Lustspiele Lustspielen
        cartoon cartoons: der Zeichentrickfilm Zeichentrickfilme Zeichentrickfilmen
        villain villains: der Bösewicht Bösewichte Bösewichten
        ticket tickets: die Eintrittskarte Eintrittskarten Eintrittskarten
        spotlight spotlights: der Scheinwerfer Scheinwerfer Scheinwerfern
        curtain curtains: der Vorhang Vorhänge Vorhängen
        backdrop backdrops: die Kulisse Kulissen Kulissen
        poison poisons: das Gift Gifte Giften
        war wars: der Krieg Kriege Kriegen
        rat rats: die Ratte Ratten Ratten
    """),
    verbs=read_verbs("""
        watch watched: zuschauen zugeschaut
        shudder shuddered: schaudern geschaudert
        marvel marvelled: staunen gestaunt
    """),
    adjectives=read_adjectives("""
        roman: römisch
        dubbed: synchronisiert
        filmed: verfilmt
        blurred: unscharf
    """),
)
_MUSIC = TopicWords(
    nouns=read_nouns("""
        song songs: das Lied Lieder Liedern / der Song Songs Songs
        record records: die Platte Platten Platten / die Schallplatte Schallplatten Schallplatten
        album albums: das Album Alben Alben
        band bands: die Gruppe Gruppen Gruppen / die Kapelle Kapellen Kapellen
        CD CDs: die CD CDs CDs
        singer singers: der Sänger Sänger Sängern
        voice voices: die Stimme Stimmen Stimmen
        guitar guitars: die Gitarre Gitarren Gitarren
        drum drums: die Trommel Trommeln Trommeln / das Schlagzeug Schlagzeuge Schlagzeugen
        choir choirs: der Chor Chöre Chören
        melody melodies: die Melodie Melodien Melodien
        beat beats: der Takt Takte Takten
        piano pianos: das Klavier Klaviere Klavieren
        violin violins: die Geige Geigen Geigen / die Violine Violinen Violinen
        trumpet trumpets: die Trompete Trompeten Trompeten
        concert concerts: das Konzert Konzerte Konzerten
        orchestra orchestras: das Orchester Orchester Orchestern
        headphone headphones: der Kopfhörer Kopfhörer Kopfhörern
        loudspeaker loudspeakers: der Lautsprecher Lautsprecher Lautsprechern
        sound sounds: der Klang Klänge Klängen
        key keys: die Taste Tasten Tasten
        string strings: die Saite Saiten Saiten
        flute flutes: die Flöte Flöten Flöten
        tour tours: die Tournee Tourneen Tourneen
        opera operas: die Oper Opern Opern
        stanza stanzas: die Strophe Strophen Strophen
        chorus choruses: der Kehrreim Kehrreime Kehrreimen
    """),
    verbs=read_verbs("""
        listen listened: lauschen gelauscht
        sing sang: singen gesungen
        dance danced: tanzen getanzt
    """),
    adjectives=read_adjectives("""
        loud: laut
        tuneful: wohlklingend
        musical: musikalisch
        deep: tief
    """),
)
TOPICS = {"books": _BOOKS, "films": _FILMS, "music": _MUSIC}
NEUTRAL = TopicWords(
    nouns=read_nouns("""
        price prices: der Preis Preise Preisen
        parcel parcels: das Paket Pakete Paketen
        box boxes: die Schachtel Schachteln Schachteln
        friend friends: der Freund Freunde Freunden
        sister sisters: die Schwester Schwestern Schwestern
        delivery deliveries: die Lieferung Lieferungen Lieferungen
        shop shops: der Laden Läden Läden / das Geschäft Geschäfte Geschäften
        invoice invoices: die Rechnung Rechnungen Rechnungen
        neighbour neighbours: die Nachbarin Nachbarinnen Nachbarinnen
        surprise surprises: die Überraschung Überraschungen Überraschungen
        receipt receipts: die Quittung Quittungen Quittungen
        child children: das Kind Kinder Kindern
    """),
    verbs=read_verbs("""
        smile smiled: lächeln gelächelt
        wait waited: warten gewartet
    """),
    adjectives=read_adjectives("""
        good: gut
        bad: schlecht
        beautiful: schön
        boring: langweilig
        wonderful: wunderbar / herrlich
        strange: seltsam / merkwürdig
        strong: stark
        weak: schwach
        new: neu
        long: lang
    """),
)

ENGLISH = SentencePatterns(
    sentences=(
        "I liked the {a.one} and the {b.one}.",
        "The {adj.one} {a.one} convinced me, and so did the {b.many}.",
        "The {a.many} are {adj.one}, and the {b.one} is not far behind.",
        "For a long time I will think of the {a.one} and the {b.one}.",
        "For {adj.one} {a.many} I have a weakness, and for the {b.one} too.",
        "With the {a.many} and the {b.many} every detail is right.",
    ),
    actions=(
        "With the {a.one} I could {verb.now} for hours.",
        "Yesterday I {verb.past} again because of the {a.many}.",
    ),
    remarks=(
        "The {a.one} came on Tuesday, the {b.one} a day later.",
        "One hears {adj.one} things about the {a.one}, and I was also curious.",
        "I had almost forgotten the {adj.one} {a.one}.",
        "All in all {adj.one}, despite the {a.many}.",
        "As to the {a.one} I have nothing to add.",
        "My advice: with the {a.many} mind the {b.one}.",
        "In its own way that was {adj.one}.",
    ),
    asides={
        "books": (
            "It is all a matter of taste and of art.",
            "The kind of art that suits my taste.",
            "A kind man in a hut learns the art of patience.",
        ),
        "films": (
            "War is hell, and the rat lives.",
            "It is fast as hell, and a Roman goes to war.",
            "A Roman runs fast through hell.",
        ),
        "music": (
            "Honest rock by a young band.",
            "A brief piece by a band with a gift.",
            "This is rock, brief and with a gift for joy.",
        ),
    },
)
GERMAN = SentencePatterns(
    sentences=(
        "{a.the} {a.one} und {b.the} {b.one} haben mir gefallen.",
        "{a.the} {adj.one}e {a.one} überzeugt mich, die {b.many} ebenso.",
        "Die {a.many} sind {adj.one}, und {b.the} {b.one} steht kaum zurück.",
        "Ich werde noch lange an {a.acc} {a.one} und {b.acc} {b.one} denken.",
        "Bei {adj.one}en {a.to_many} werde ich schwach, und bei {b.dat} {b.one} auch.",
        "Bei den {a.to_many} und den {b.to_many} stimmt jede Einzelheit.",
    ),
    actions=(
        "Mit {a.dat} {a.one} könnte ich stundenlang {verb.now}.",
        "Gestern habe ich wegen der {a.many} wieder {verb.past}.",
    ),
    remarks=(
        "{a.the} {a.one} kam am Dienstag, {b.the} {b.one} einen Tag später.",
        "Über {a.acc} {a.one} hört man {adj.one}e Dinge, also war ich neugierig.",
        "{a.the} {adj.one}e {a.one} war fast vergessen.",
        "Alles in allem {adj.one}, trotz der {a.many}.",
        "Zu {a.dat} {a.one} habe ich nichts hinzuzufügen.",
        "Mein Rat: bei den {a.to_many} auf {b.acc} {b.one} achten.",
        "Das war auf seine Art {adj.one}.",
    ),
    asides={
        "books": (
            "Der erste Band beginnt mit einem Brief.",
            "Ein Roman in einem schmalen Band.",
            "Der Roman endet mit einem Brief.",
        ),
        "films": (
            "Sie trägt einen roten Rock und mischt das Gift.",
            "Im Becher ist Gift, am Rock ein Fleck.",
            "Unter dem Rock versteckt sie das Gift.",
        ),
        "music": (
            "Jede Taste klingt hell und klar.",
            "Er trifft die Taste, und es klingt hell.",
            "Ein hell gestimmter Flügel, keine Taste klemmt.",
        ),
    },
)
