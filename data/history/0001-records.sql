-- The first schema: records with what is asked for by name, their documents, baselines and scored predictions.

CREATE TABLE series (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (name <> '')
) STRICT;

-- Labels, facts, kernels and operators, each name once.
CREATE TABLE name (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE machine (
  id INTEGER PRIMARY KEY,
  facts TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE record (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
  series INTEGER NOT NULL REFERENCES series,
  at_ms INTEGER NOT NULL,
  commit_id TEXT,
  schema TEXT NOT NULL,
  mode TEXT NOT NULL,
  source TEXT,
  verdict TEXT,
  gpu TEXT,
  program TEXT NOT NULL,
  machine INTEGER REFERENCES machine,
  software TEXT,
  metric INTEGER REFERENCES name,
  value REAL
) STRICT;
CREATE INDEX record_by_time ON record (at_ms, id);
CREATE INDEX record_by_series ON record (series, at_ms, id);
CREATE INDEX record_by_commit ON record (commit_id, at_ms, id) WHERE commit_id IS NOT NULL;
CREATE INDEX record_by_machine ON record (machine);

CREATE TABLE document (
  record INTEGER PRIMARY KEY REFERENCES record ON DELETE CASCADE,
  bytes INTEGER NOT NULL,
  zipped BLOB NOT NULL
) STRICT;

CREATE TABLE label (
  record INTEGER NOT NULL REFERENCES record ON DELETE CASCADE,
  place INTEGER NOT NULL,
  name INTEGER NOT NULL REFERENCES name,
  at_ms INTEGER NOT NULL,
  score REAL,
  PRIMARY KEY (record, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX label_by_name ON label (name, at_ms, record);

CREATE TABLE fact (
  series INTEGER NOT NULL REFERENCES series,
  name INTEGER NOT NULL REFERENCES name,
  at_ms INTEGER NOT NULL,
  record INTEGER NOT NULL REFERENCES record ON DELETE CASCADE,
  value REAL NOT NULL,
  PRIMARY KEY (series, name, at_ms, record)
) STRICT, WITHOUT ROWID;
CREATE INDEX fact_by_record ON fact (record);

CREATE TABLE kernel (
  record INTEGER NOT NULL REFERENCES record ON DELETE CASCADE,
  place INTEGER NOT NULL,
  name INTEGER NOT NULL REFERENCES name,
  launches INTEGER,
  us REAL,
  label TEXT,
  PRIMARY KEY (record, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE operator (
  record INTEGER NOT NULL REFERENCES record ON DELETE CASCADE,
  place INTEGER NOT NULL,
  name INTEGER NOT NULL REFERENCES name,
  calls INTEGER,
  us REAL,
  label TEXT,
  PRIMARY KEY (record, place)
) STRICT, WITHOUT ROWID;

-- A record that a baseline names is not removed.
CREATE TABLE baseline (
  name TEXT PRIMARY KEY NOT NULL CHECK (name <> ''),
  record INTEGER NOT NULL REFERENCES record,
  set_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX baseline_by_record ON baseline (record);

CREATE TABLE prediction (
  id TEXT PRIMARY KEY NOT NULL CHECK (id <> ''),
  card TEXT NOT NULL,
  kernel TEXT NOT NULL,
  reading TEXT NOT NULL,
  outcome TEXT NOT NULL,
  added_ms INTEGER NOT NULL,
  entry TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX prediction_by_card ON prediction (card, added_ms);
