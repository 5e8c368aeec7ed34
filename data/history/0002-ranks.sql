-- Collectives of the ranks of a run, which are compared with each other here (frx history ranks).

CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (name <> '')
) STRICT;

-- A rank that is here has all of its collectives.
CREATE TABLE run_rank (
  run INTEGER NOT NULL REFERENCES run,
  rank INTEGER NOT NULL,
  node TEXT,
  step_ns REAL NOT NULL,
  at_ms INTEGER NOT NULL,
  PRIMARY KEY (run, rank)
) STRICT, WITHOUT ROWID;

CREATE TABLE collective (
  run INTEGER NOT NULL,
  step INTEGER NOT NULL,
  members INTEGER NOT NULL REFERENCES name,
  nth INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  what INTEGER NOT NULL REFERENCES name,
  duration_ns INTEGER NOT NULL,
  own_ns INTEGER,
  PRIMARY KEY (run, step, members, nth, rank),
  FOREIGN KEY (run, rank) REFERENCES run_rank ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX collective_by_rank ON collective (run, rank);
