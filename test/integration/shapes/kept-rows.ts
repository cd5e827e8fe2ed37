import { ownName } from '../../targets/own-name.ts';
import type { Shape } from './engines.ts';

const item = (name: string, more = ''): string => `
dataclass: ${name}
${more === '' ? `table: app.${name.toLowerCase()}` : more}
stamp: hash
attributes: { id: id, v: v }
`;

/** A table whose trigger keeps rows, a view of it, and tables and views whose rules stand in for changes. */
export const shape: Shape = {
  postgres: `CREATE SCHEMA app;
CREATE TABLE app.item (id int PRIMARY KEY, v int);
CREATE FUNCTION app.keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF OLD.v >= 10 THEN RETURN NULL; END IF; RETURN OLD; END $$;
CREATE TRIGGER keep BEFORE DELETE ON app.item FOR EACH ROW EXECUTE FUNCTION app.keep();
CREATE VIEW app.seen AS SELECT id, v FROM app.item;
CREATE TABLE app.ruled (id int PRIMARY KEY, v int);
CREATE RULE no_zero AS ON UPDATE TO app.ruled WHERE NEW.v = 0 DO INSTEAD NOTHING;
CREATE RULE kept AS ON DELETE TO app.ruled DO INSTEAD NOTHING;`,
  sqlserver: [],
  mappings: {
    item: item('Item'),
    seen: item('Seen', 'view: app.seen\nkey: [id]'),
    ruled: item('Ruled'),
  },
};

/** A login of the server's, of this run alone. */
const LOGIN = ownName();

/** Rows of which the gateway's login sees some, and may delete fewer. */
export const secured: Shape = {
  login: { user: LOGIN, password: 'Kept-rows-1' },
  postgres: `CREATE SCHEMA app;
CREATE TABLE app.item (id int PRIMARY KEY, v int);
ALTER TABLE app.item ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON app.item FOR SELECT USING (v < 100);
CREATE POLICY made ON app.item FOR INSERT WITH CHECK (true);
CREATE POLICY gone ON app.item FOR DELETE USING (v < 10);
INSERT INTO app.item VALUES (1, 70), (2, 60), (3, 200), (4, 5), (5, 6);
CREATE ROLE ${LOGIN} LOGIN PASSWORD 'Kept-rows-1';
GRANT USAGE ON SCHEMA app TO ${LOGIN};
GRANT ALL ON ALL TABLES IN SCHEMA app TO ${LOGIN};`,
  sqlserver: [],
  mappings: { item: item('Item') },
};
