import { hrefs } from '../routes.ts';
import { shownKey } from '../rest/url.ts';

/** Where the address leads: to the collection, and in it to the entity. @param label what the entity is known by; empty for its key @param entityKey null for a new one */
export function Breadcrumb({
  dataclass,
  label,
  entityKey,
}: {
  dataclass: string;
  label: string;
  entityKey: string | null;
}) {
  const here = label === '' ? shownKey(entityKey ?? '') : label;
  return (
    <nav class="breadcrumb" aria-label="Breadcrumb">
      <ol>
        <li>
          <a href={hrefs.collection(dataclass)}>{dataclass}</a>
        </li>
        <li>
          <span aria-current="page">{entityKey === null ? 'New' : here}</span>
        </li>
      </ol>
    </nav>
  );
}
