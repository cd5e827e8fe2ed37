import type { Shape } from './engines.ts';

/** Tables whose triggers change, log, drop or refuse what is written. */
export const shape: Shape = {
  postgres: `
CREATE SCHEMA app;
CREATE TABLE app.journal (id int GENERATED ALWAYS AS IDENTITY (START 1000) PRIMARY KEY, what varchar(40));
CREATE TABLE app.touched (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name varchar(20), changes int NOT NULL DEFAULT 0);
CREATE FUNCTION app.touch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF pg_trigger_depth() = 1 THEN UPDATE app.touched SET changes = changes + 1 WHERE id = NEW.id; END IF; RETURN NULL; END $$;
CREATE TRIGGER touch AFTER INSERT OR UPDATE ON app.touched FOR EACH ROW EXECUTE FUNCTION app.touch();
CREATE TABLE app.journaled (id int GENERATED ALWAYS AS IDENTITY (START 5) PRIMARY KEY, name varchar(20));
CREATE FUNCTION app.journal() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO app.journal (what) VALUES (NEW.name); RETURN NULL; END $$;
CREATE TRIGGER journal AFTER INSERT OR UPDATE ON app.journaled FOR EACH ROW EXECUTE FUNCTION app.journal();
CREATE TABLE app.strict (id int PRIMARY KEY, name varchar(20));
CREATE FUNCTION app.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' THEN RAISE EXCEPTION 'Strict entities are kept.'; END IF;
  IF NEW.name = 'bad' THEN RAISE EXCEPTION 'Names must not be bad.'; END IF;
  IF NEW.name = 'thrown' THEN RAISE EXCEPTION 'Thrown for it.' USING ERRCODE = 'X1234'; END IF;
  IF NEW.name = 'kept' THEN RAISE EXCEPTION 'Raised without rollback.' USING ERRCODE = '23505'; END IF;
  RETURN NULL; END $$;
CREATE TRIGGER refuse AFTER INSERT OR UPDATE OR DELETE ON app.strict FOR EACH ROW EXECUTE FUNCTION app.refuse();
CREATE TABLE app.filtered (id int PRIMARY KEY, name varchar(20));
CREATE FUNCTION app.drop_or_shout() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'DELETE' THEN RETURN CASE WHEN OLD.name = 'STAY' THEN NULL ELSE OLD END; END IF;
  IF NEW.name = 'drop' THEN RETURN NULL; END IF;
  NEW.name = upper(NEW.name); RETURN NEW; END $$;
CREATE TRIGGER drop_or_shout BEFORE INSERT OR UPDATE OR DELETE ON app.filtered FOR EACH ROW EXECUTE FUNCTION app.drop_or_shout();
CREATE TABLE app.made (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name varchar(20));
CREATE TRIGGER drop_or_shout BEFORE INSERT ON app.made FOR EACH ROW EXECUTE FUNCTION app.drop_or_shout();
`,
  sqlserver: [
    'CREATE SCHEMA app',
    'CREATE TABLE app.journal (id int IDENTITY(1000, 1) NOT NULL PRIMARY KEY, what varchar(40) NULL)',
    'CREATE TABLE app.touched (id int IDENTITY NOT NULL PRIMARY KEY, name varchar(20) NULL, changes int NOT NULL DEFAULT 0)',
    `CREATE TRIGGER app.touch ON app.touched AFTER INSERT, UPDATE AS BEGIN SET NOCOUNT ON;
      IF TRIGGER_NESTLEVEL() = 1 UPDATE app.touched SET changes = changes + 1 WHERE id IN (SELECT id FROM inserted); END`,
    'CREATE TABLE app.journaled (id int IDENTITY(5, 1) NOT NULL PRIMARY KEY, name varchar(20) NULL)',
    `CREATE TRIGGER app.journal_it ON app.journaled AFTER INSERT, UPDATE AS
      INSERT INTO app.journal (what) SELECT name FROM inserted`,
    'CREATE TABLE app.strict (id int NOT NULL PRIMARY KEY, name varchar(20) NULL)',
    `CREATE TRIGGER app.refuse ON app.strict AFTER INSERT, UPDATE AS BEGIN
      IF EXISTS (SELECT 1 FROM inserted WHERE name = 'bad') BEGIN RAISERROR('Names must not be bad.', 16, 1); ROLLBACK TRANSACTION; END
      IF EXISTS (SELECT 1 FROM inserted WHERE name = 'thrown') THROW 50001, 'Thrown for it.', 1;
      IF EXISTS (SELECT 1 FROM inserted WHERE name = 'kept') RAISERROR('Raised without rollback.', 16, 1);
      IF EXISTS (SELECT 1 FROM inserted WHERE name = 'silent') ROLLBACK TRANSACTION; END`,
    `CREATE TRIGGER app.refuse_delete ON app.strict AFTER DELETE AS BEGIN
      RAISERROR('Strict entities are kept.', 16, 1); ROLLBACK TRANSACTION; END`,
  ],
  mappings: {
    journal: 'dataclass: Journal\ntable: app.journal\nstamp: hash\n',
    touched: 'dataclass: Touched\ntable: app.touched\nstamp: { counter: changes }\n',
    journaled: 'dataclass: Journaled\ntable: app.journaled\nstamp: hash\n',
    strict: 'dataclass: Strict\ntable: app.strict\nstamp: hash\n',
  },
};

/** What only PostgreSQL has: triggers before the change, which may drop or change a row. */
export const before: Shape = {
  ...shape,
  sqlserver: [],
  mappings: {
    filtered: 'dataclass: Filtered\ntable: app.filtered\nstamp: hash\n',
    made: 'dataclass: Made\ntable: app.made\nstamp: hash\n',
  },
};
