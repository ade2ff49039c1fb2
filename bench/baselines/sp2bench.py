"""SP²Bench's tables: triples about documents as DBLP has them.

    triples, constants = generate(5_000_000)

After M. Schmidt, T. Hornung, G. Lausen and C. Pinkel, "SP²Bench: a SPARQL performance benchmark"
(ICDE 2009), section III: documents of each class and year by logistic curves; attributes by their
probabilities; authors and editors of a document, and citations, by normal distributions; authors
who are new in a year by curves; authors who have written much write more. Otherwise than there,

- who of the known authors writes, and what is cited, is drawn among all that were written or cited
  before, which gives power laws, but not with their exponents;
- all citations have a target;
- articles have no volume of their own, persons are no blank nodes, and terms are numbered names
  instead of words;
- curves are fitted to the paper's numbers of documents, and begin where they fit;
- the documents of the last year are as many as fit.
"""

import numpy as np

FIRST_YEAR = 1936

# Kinds of terms, in the order of their numbers. Terms of a kind are in the order of theirs.
VOCABULARY, YEAR, DOCUMENT, PERSON, NAME, TITLE, SEE_ALSO, HOMEPAGE, PAGES, BOOKTITLE, BAG, OTHER = \
    range(12)
PREFIXES = ("", "", "document", "person", "name", "title", "http://see.also/", "http://home.page/",
            "pages", "booktitle", "bag", "text")

# Documents of a class in a year: a / (1 + b exp(-c (year - first))), fitted to how many of each class
# SP²Bench's documents of 250,000 to 25 million triples have.
CURVES = {"bench:Journal": (740.43, 426.28, 0.12, 1947), "bench:Article": (58519.12, 876.80, 0.12, 1949),
          "bench:Proceedings": (5502.31, 1250.26, 0.14, 1965),
          "bench:Inproceedings": (337132.34, 1901.05, 0.15, 1965),
          "bench:Incollection": (3577.31, 196.49, 0.09, 1978), "bench:Book": (52.97, 40739.38, 0.32, 1949),
          "bench:PhDThesis": (12, 400, 1, 1974), "bench:MastersThesis": (5, 400, 1, 1974),
          "bench:Www": (6, 400, 1, 1974)}

# Authors of a document, and how many of a year's are different and new, are of curves from here on.
FIRST_OF_AUTHORS = 1972

# The share of a class's documents that have an attribute.
WITH_AUTHORS = {"bench:Article": 0.9895, "bench:Inproceedings": 0.9970, "bench:Incollection": 0.8459,
                "bench:Book": 0.8937, "bench:PhDThesis": 1, "bench:MastersThesis": 1,
                "bench:Www": 0.9973}
WITH_CITATIONS = {"bench:Article": 0.0048, "bench:Inproceedings": 0.0104, "bench:Incollection": 0.0047,
                  "bench:Book": 0.0079}
WITH_VALUES = {  # of which each document has its own
    "rdfs:seeAlso": (SEE_ALSO, {"bench:Article": 0.6781, "bench:Inproceedings": 0.6519,
                                "bench:Proceedings": 0.0265, "bench:Incollection": 0.3325}),
    "foaf:homepage": (HOMEPAGE, {"bench:Article": 0.9986, "bench:Inproceedings": 0.9994,
                                 "bench:Proceedings": 0.9986, "bench:Incollection": 0.9992}),
    "swrc:pages": (PAGES, {"bench:Article": 0.9261, "bench:Inproceedings": 0.9489,
                           "bench:Incollection": 0.6849}),
    "bench:abstract": (OTHER, {"bench:Article": 0.01, "bench:Inproceedings": 0.01}),
    "swrc:number": (OTHER, {"bench:Article": 0.9224}),
    "swrc:month": (OTHER, {"bench:Article": 0.0065}),
    "swrc:volume": (OTHER, {"bench:Journal": 0.9982, "bench:Proceedings": 0.6111}),
    "swrc:isbn": (OTHER, {"bench:Proceedings": 0.8592, "bench:Book": 0.9294}),
    "dc:publisher": (OTHER, {"bench:Proceedings": 0.9737, "bench:Book": 0.9992}),
    "swrc:series": (OTHER, {"bench:Proceedings": 0.6116}),
}
WITH_EDITORS = 0.7992  # of proceedings
IN_PROCEEDINGS = 0.8003  # of papers
MOST_CITATIONS = 100

PREDICATES = ("rdf:type", "rdfs:subClassOf", "dc:title", "dcterms:issued", "dc:creator", "swrc:editor",
              "foaf:name", "swrc:journal", "dcterms:partOf", "bench:booktitle", "dcterms:references",
              *WITH_VALUES, *(f"rdf:_{i}" for i in range(1, MOST_CITATIONS + 1)))
WORDS = (*PREDICATES, *CURVES, "foaf:Document", "foaf:Person", "rdf:Bag")

ERDOES = 0  # the person; he writes ten documents a year, mostly alone
ERDOES_WRITES = range(1940, 1997)


def curve(a, b, c, year):
    """The logistic curve."""
    return a / (1 + b * np.exp(-c * year))


def terms(kind, numbers):
    return (np.int64(kind) << 32) | np.asarray(numbers, np.int64)


def word(name):
    return terms(VOCABULARY, WORDS.index(name))


class Generator:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.parts = []  # triples, as arrays of subjects, predicates and objects
        self.count = 0
        self.documents = 0
        self.persons = 1
        self.bags = 0
        self.written = np.zeros(0, np.int64)  # a person for each time that one has written
        self.cited = np.zeros(0, np.int64)
        for name in CURVES:
            self.add(word(name), "rdfs:subClassOf", word("foaf:Document"))

    def add(self, subjects, predicate, objects):
        """Triples; one subject, predicate or object may stand for all."""
        predicates = word(predicate) if isinstance(predicate, str) else predicate
        subjects, predicates, objects = np.broadcast_arrays(*(
            np.atleast_1d(each) for each in (subjects, predicates, objects)))
        self.parts.append((subjects, predicates, objects))
        self.count += len(subjects)

    def chosen(self, documents, share):
        return documents[self.random.random(len(documents)) < share]

    def normal_counts(self, mean, deviation, count, least, most):
        drawn = np.rint(self.random.normal(mean, deviation, count))
        return np.clip(drawn, least, most).astype(np.int64)

    def year(self, year, share):
        """The documents of a year, or a share of its articles and papers."""
        made = {}
        for name, (a, b, c, first) in CURVES.items():
            count = int(np.rint(curve(a, b, c, year - first)))
            if name in ("bench:Article", "bench:Inproceedings"):
                count = int(count * share)
            made[name] = np.arange(self.documents, self.documents + count)
            self.documents += count
            subjects = terms(DOCUMENT, made[name])
            self.add(subjects, "rdf:type", word(name))
            self.add(subjects, "dc:title", terms(TITLE, made[name]))
            self.add(subjects, "dcterms:issued", terms(YEAR, year))
        for predicate, (kind, shares) in WITH_VALUES.items():
            for name, of in shares.items():
                having = self.chosen(made[name], of)
                values = having * len(WITH_VALUES) + list(WITH_VALUES).index(predicate)
                self.add(terms(DOCUMENT, having), predicate, terms(kind, values))
        self.places(made)
        self.authors(year, made)
        self.citations(made)
        return made

    def places(self, made):
        """Journals of articles, proceedings of papers."""
        if len(made["bench:Journal"]):
            articles = self.chosen(made["bench:Article"], 0.9994)
            journals = self.random.choice(made["bench:Journal"], len(articles))
            self.add(terms(DOCUMENT, articles), "swrc:journal", terms(DOCUMENT, journals))
        proceedings = made["bench:Proceedings"]
        self.add(terms(DOCUMENT, proceedings), "bench:booktitle", terms(BOOKTITLE, proceedings))
        papers = made["bench:Inproceedings"]
        if len(proceedings):
            of_paper = self.random.choice(proceedings, len(papers))
            self.add(terms(DOCUMENT, papers), "bench:booktitle", terms(BOOKTITLE, of_paper))
            within = self.random.random(len(papers)) < IN_PROCEEDINGS
            self.add(terms(DOCUMENT, papers[within]), "dcterms:partOf",
                     terms(DOCUMENT, of_paper[within]))

    def authors(self, year, made):
        y = year - FIRST_OF_AUTHORS
        documents = np.concatenate([self.chosen(made[name], of) for name, of in WITH_AUTHORS.items()])
        mean = curve(2.05, 17.59, 0.11, y) + 1.05
        deviation = curve(1.00, 6.46, 0.10, y) + 0.50
        counts = self.normal_counts(mean, deviation, len(documents), 1, 30)
        slots = int(counts.sum())
        distinct = int(slots * (0.84 - curve(0.67, 169.41, 0.07, y)))
        new = int(distinct * (0.628 - curve(0.29, 749.00, 0.14, y)))
        known = self.some_of(self.written, distinct - new)
        new = max(distinct - len(known), 0)
        people = np.concatenate([known, np.arange(self.persons, self.persons + new)])
        self.persons += new
        # Those who have written most write most: the known are the first, the oldest before others.
        more = people[(len(people) * self.random.random(slots - len(people)) ** 2).astype(np.int64)]
        writers = self.random.permutation(np.concatenate([people, more]))
        of = np.repeat(documents, counts)
        if year in ERDOES_WRITES and len(documents):
            some = self.random.permutation(len(documents))[:10]
            alone = documents[some[1:]]
            keep = ~np.isin(of, alone)
            of = np.concatenate([of[keep], documents[some]])
            writers = np.concatenate([writers[keep], np.full(len(some), ERDOES)])
        pairs = np.unique(np.stack([of, writers]), axis=1)
        self.add(terms(DOCUMENT, pairs[0]), "dc:creator", terms(PERSON, pairs[1]))
        self.written = np.concatenate([self.written, pairs[1]])
        self.editors(year, made)

    def editors(self, year, made):
        proceedings = self.chosen(made["bench:Proceedings"], WITH_EDITORS)
        if not len(self.written):
            return
        counts = self.normal_counts(2.15, 1.18, len(proceedings), 1, 10)
        of = np.repeat(proceedings, counts)
        editors = self.random.choice(self.written, len(of))
        if year in ERDOES_WRITES:
            some = made["bench:Proceedings"][:2]
            of, editors = np.concatenate([of, some]), np.concatenate([editors, np.full(len(some), ERDOES)])
        pairs = np.unique(np.stack([of, editors]), axis=1)
        self.add(terms(DOCUMENT, pairs[0]), "swrc:editor", terms(PERSON, pairs[1]))

    def some_of(self, drawn_from, count):
        """So many different ones, or fewer; what is there often is likely."""
        if count <= 0 or not len(drawn_from):
            return np.zeros(0, np.int64)
        drawn = self.random.choice(drawn_from, 3 * count)
        _, first = np.unique(drawn, return_index=True)
        return drawn[np.sort(first)[:count]]

    def citations(self, made):
        for name, of in WITH_CITATIONS.items():
            citing = self.chosen(made[name], of)
            if not len(citing) or not self.documents:
                continue
            counts = self.normal_counts(16.82, 10.07, len(citing), 1, MOST_CITATIONS)
            bags = np.arange(self.bags, self.bags + len(citing))
            self.bags += len(citing)
            self.add(terms(DOCUMENT, citing), "dcterms:references", terms(BAG, bags))
            self.add(terms(BAG, bags), "rdf:type", word("rdf:Bag"))
            total = int(counts.sum())
            targets = self.random.integers(0, self.documents, total)
            if len(self.cited):
                again = self.random.random(total) < 0.5
                targets[again] = self.random.choice(self.cited, int(again.sum()))
            self.cited = np.concatenate([self.cited, targets])
            places = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
            self.add(terms(BAG, np.repeat(bags, counts)), word("rdf:_1") + places,
                     terms(DOCUMENT, targets))


def generate(triples, seed=1):
    """(subjects, predicates, objects) as dictionary-encoded integers, the texts of all terms in
    their order, and {name: integer} of what queries name."""
    made = Generator(seed)
    before, year = 0, FIRST_YEAR
    journal_of_1940 = None
    while made.count + 2 * made.persons < triples:
        left = triples - made.count - 2 * made.persons
        # The next year has about as many triples as this one, and a tenth more.
        share = min(1.0, left / max(1.1 * (made.count - before), 1)) if year > 1950 else 1.0
        before = made.count
        documents = made.year(year, share)
        if year == 1940:
            journal_of_1940 = documents["bench:Journal"][0]
        year += 1
    people = np.arange(made.persons)
    made.add(terms(PERSON, people), "rdf:type", word("foaf:Person"))
    made.add(terms(PERSON, people), "foaf:name", terms(NAME, people))
    columns = [np.concatenate(column)[:triples] for column in zip(*made.parts)]
    known = np.unique(np.concatenate([*columns, terms(VOCABULARY, range(len(WORDS)))]))
    encoded = [np.searchsorted(known, column).astype(np.int32) for column in columns]
    named = {name: word(name) for name in WORDS}
    named["Paul Erdoes"] = terms(PERSON, ERDOES)
    named["name of Paul Erdoes"] = terms(NAME, ERDOES)
    named["Journal 1 (1940)"] = terms(TITLE, journal_of_1940)
    constants = {name: int(np.searchsorted(known, term)) for name, term in named.items()}
    constants["John Q. Public"] = len(known)  # of whom nothing is known
    return encoded, known, constants


def texts(known):
    """What terms are called: in the same order as their numbers within a kind."""
    kinds, numbers = known >> 32, known & 0xFFFFFFFF
    made = np.char.add(np.array(PREFIXES)[kinds], np.char.zfill(numbers.astype("U10"), 10))
    made[kinds == YEAR] = numbers[kinds == YEAR].astype("U10")
    made[kinds == VOCABULARY] = np.array(WORDS)[numbers[kinds == VOCABULARY]]
    return made
