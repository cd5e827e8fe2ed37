import { useEffect, useState } from 'preact/hooks';
import { hrefs } from '../routes.ts';
import { type Attribute, type Catalog, type Dataclass, relationTarget } from '../rest/catalog.ts';
import { rest } from '../rest/client.ts';
import {
  isNumber,
  isObject,
  type Json,
  type JsonObject,
  objectsIn,
  plainText,
} from '../rest/json.ts';
import { RestError } from '../rest/rest-error.ts';
import { memberPath, pathBelowRest, shownKey, withParameters } from '../rest/url.ts';
import { ErrorBox, Waiting } from '../ui/states.tsx';
import type { EntityEditor } from './entity-editor.ts';
import { labelAttributes } from './related-search.ts';

/** How many related entities are read at once. */
const PAGE = 20;

/** How many of their attributes are shown. */
const COLUMNS = 5;

/** What the relations to many lead to, each read when it is opened. */
export function RelatedLists({ editor, catalog }: { editor: EntityEditor; catalog: Catalog }) {
  const relations = editor.dataclass.attributes.filter(({ kind }) => kind === 'relatedEntities');
  if (relations.length === 0) return null;
  return (
    <section class="related-lists" aria-label="Related entities">
      <h2>Related</h2>
      {relations.map((relation) => {
        const target = relationTarget(relation, catalog);
        return target === undefined ? null : (
          <RelatedList key={relation.name} editor={editor} relation={relation} target={target} />
        );
      })}
    </section>
  );
}

/** A relation to many of the entity that is shown. */
interface RelatedProps {
  readonly editor: EntityEditor;
  readonly relation: Attribute;
  readonly target: Dataclass;
}

function RelatedList(props: RelatedProps) {
  const { relation, target } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {relation.name} <small>{target.name}</small>
      </summary>
      {isOpen && <Page {...props} />}
    </details>
  );
}

/** What was read so far of a relation. */
interface Loaded {
  readonly entities: readonly JsonObject[];
  readonly count: number;
}

function Page({ editor, relation, target }: RelatedProps) {
  const columns = columnsOf(target);
  const path = memberPath(editor.path, relation.name);
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [error, setError] = useState<RestError | null>(null);
  const [wanted, setWanted] = useState(PAGE);
  useEffect(() => {
    const abort = new AbortController();
    const url = withParameters(path, {
      $attributes: columns.join(','),
      $top: PAGE,
      $skip: wanted - PAGE,
    });
    rest.request(url, { signal: abort.signal }).then(
      (answer) => {
        setError(null);
        setLoaded((known) => {
          const entities = isObject(answer) ? objectsIn(answer['__ENTITIES']) : [];
          const before = wanted === PAGE ? [] : (known?.entities ?? []);
          const count = isObject(answer) ? Number(plainText(answer['__COUNT'])) : 0;
          return { entities: [...before, ...entities], count };
        });
      },
      (failure: unknown) => {
        if (failure instanceof RestError) setError(failure);
      },
    );
    return () => abort.abort();
  }, [editor, relation.name, wanted]);
  if (error !== null) return <ErrorBox error={error} />;
  if (loaded === null) return <Waiting>Reading {relation.name}…</Waiting>;
  if (loaded.count === 0) return <p class="related-none">None.</p>;
  const { key } = editor;
  return (
    <>
      <div class="related-table">
        <table>
          <thead>
            <tr>
              {columns.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {loaded.entities.map((entity, at) => (
              <tr key={at}>
                {columns.map((name, column) => (
                  <td key={name} class={isNumber(entity[name]) ? 'number' : ''}>
                    {column === 0 ? (
                      <EntityLink target={target} entity={entity} text={shown(entity[name])} />
                    ) : (
                      shown(entity[name])
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="related-more">
        {loaded.entities.length.toLocaleString()} of {loaded.count.toLocaleString()} {relation.name}
        {loaded.entities.length < loaded.count && (
          <button type="button" onClick={() => setWanted(wanted + PAGE)}>
            More
          </button>
        )}
        <a href={hrefs.collection(target.name, { of: pathBelowRest(path) })}>
          Open as a collection
        </a>
        {relation.inverse !== null && key !== null && target.changes.has('create') && (
          <a href={hrefs.create(target.name, { [relation.inverse]: key })}>New {target.name}</a>
        )}
      </p>
    </>
  );
}

function EntityLink({
  target,
  entity,
  text,
}: {
  target: Dataclass;
  entity: JsonObject;
  text: string;
}) {
  const key = entity['__KEY'];
  if (typeof key !== 'string') return <>{text}</>;
  return <a href={hrefs.entity(target.name, key)}>{text === '' ? shownKey(key) : text}</a>;
}

/** The columns of a short list: what people know entities by, then the key, then the next attributes. */
function columnsOf({ attributes, key }: Dataclass): string[] {
  const plain = attributes.filter(
    ({ kind, type }) => !kind.startsWith('related') && !['image', 'blob', 'object'].includes(type),
  );
  const names = [
    ...labelAttributes(attributes),
    ...key.map(({ name }) => name),
    ...plain.map(({ name }) => name),
  ];
  return [...new Set(names)].slice(0, COLUMNS);
}

function shown(value: Json | undefined): string {
  if (value === null || value === undefined) return '';
  return isObject(value) || Array.isArray(value) ? '…' : plainText(value);
}
