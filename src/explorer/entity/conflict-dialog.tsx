import { useState } from 'preact/hooks';
import { isObject, type Json, type JsonObject, writeJson } from '../rest/json.ts';
import { type Difference, differences, relatedKey } from './draft.ts';
import type { EntityEditor } from './entity-editor.ts';
import { formFields } from './form-fields.ts';
import { shownKey } from '../rest/url.ts';
import { Dialog } from '../ui/dialog.tsx';

/** Shows what somebody else has saved beside the user's changes, to choose from attribute by attribute. */
export function ConflictDialog({ editor, theirs }: { editor: EntityEditor; theirs: JsonObject }) {
  const names = formFields(editor.dataclass).map(({ name }) => name);
  const all = differences(editor.entity.value ?? {}, editor.draft.value, theirs, names);
  const mine = all.filter((difference) => 'mine' in difference);
  const [choices, setChoices] = useState<ReadonlyMap<string, 'mine' | 'theirs'>>(
    () => new Map(mine.filter(({ isConflict }) => !isConflict).map(({ name }) => [name, 'mine'])),
  );
  const open = mine.filter(({ name }) => !choices.has(name)).length;
  const choose = (name: string, side: 'mine' | 'theirs'): void =>
    setChoices(new Map(choices).set(name, side));
  const chooseAll = (side: 'mine' | 'theirs'): void =>
    setChoices(new Map(mine.map(({ name }) => [name, side])));
  return (
    <Dialog
      title="Somebody else has saved this entity"
      onClose={() => (editor.theirs.value = null)}
    >
      <p>
        {editor.dataclass.name} {shownKey(editor.key ?? '')} has changed since you read it. Choose
        for each attribute what shall be saved.
      </p>
      <div class="conflict-table">
        <table>
          <thead>
            <tr>
              <th scope="col">Attribute</th>
              <th scope="col">As you read it</th>
              <th scope="col">Mine</th>
              <th scope="col">Theirs</th>
            </tr>
          </thead>
          <tbody>
            {all.map((difference) => (
              <Row
                key={difference.name}
                difference={difference}
                choice={choices.get(difference.name)}
                onChoose={choose}
              />
            ))}
          </tbody>
        </table>
      </div>
      <p class="entity-actions">
        <button
          type="button"
          class="primary"
          disabled={open > 0}
          onClick={() => void editor.resolve(choices)}
        >
          {open > 0 || [...choices.values()].includes('mine') ? 'Save the choice' : 'Take theirs'}
        </button>
        <button type="button" onClick={() => chooseAll('mine')}>
          All mine
        </button>
        <button type="button" onClick={() => chooseAll('theirs')}>
          All theirs
        </button>
        <button type="button" onClick={() => (editor.theirs.value = null)}>
          Go on editing
        </button>
        <span role="status">{open === 0 ? '' : `${open} to choose`}</span>
      </p>
    </Dialog>
  );
}

function Row({
  difference,
  choice,
  onChoose,
}: {
  difference: Difference;
  choice: 'mine' | 'theirs' | undefined;
  onChoose: (name: string, side: 'mine' | 'theirs') => void;
}) {
  const { name, base, theirs, mine, isConflict } = difference;
  const side = (which: 'mine' | 'theirs', value: Json | File) => (
    <label>
      <input
        type="radio"
        name={`choice-${name}`}
        checked={choice === which}
        onChange={() => onChoose(name, which)}
      />
      <span class="visually-hidden">
        {which} for {name}:
      </span>
      <Value value={value} />
    </label>
  );
  return (
    <tr class={isConflict ? 'conflict' : ''}>
      <th scope="row">{name}</th>
      <td>
        <Value value={base} />
      </td>
      {mine === undefined ? (
        <>
          <td class="unchanged">not changed</td>
          <td>
            <Value value={theirs} />
          </td>
        </>
      ) : (
        <>
          <td>{side('mine', mine)}</td>
          <td>{side('theirs', theirs)}</td>
        </>
      )}
    </tr>
  );
}

function Value({ value }: { value: Json | File }) {
  if (value === null) return <em class="null-value">null</em>;
  if (value instanceof File) return <>{value.name}</>;
  if (value === '') return <em class="null-value">empty text</em>;
  const key = relatedKey(value);
  if (key !== null) return <code>{shownKey(key)}</code>;
  if (isObject(value) && 'uri' in value) return <>a file</>;
  return (
    <span class="conflict-value">{typeof value === 'string' ? value : writeJson(value, 2)}</span>
  );
}
