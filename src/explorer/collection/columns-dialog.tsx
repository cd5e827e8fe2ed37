import { useState } from 'preact/hooks';
import { catalog } from '../catalog.ts';
import { relationTarget, type Attribute, type Dataclass } from '../rest/catalog.ts';
import { Dialog } from '../ui/dialog.tsx';
import { isRelation } from './columns.ts';

/** How many relations a column may lead over (limits.maxExpandDepth is 10; nobody looks for a column so far away). */
const MOST_RELATIONS = 4;

/** Chooses the columns and their order, along relations. */
export function ColumnsDialog({
  dataclass,
  columns,
  onClose,
  onChoose,
}: {
  dataclass: Dataclass;
  columns: readonly string[];
  onClose: () => void;
  /** @param columns null for those that the dataclass begins with */
  onChoose: (columns: readonly string[] | null) => void;
}) {
  const [chosen, setChosen] = useState(columns);
  const toggle = (path: string): void =>
    setChosen(chosen.includes(path) ? chosen.filter((one) => one !== path) : [...chosen, path]);
  const move = (from: number, to: number): void => {
    const next = [...chosen];
    next.splice(to, 0, ...next.splice(from, 1));
    setChosen(next);
  };
  return (
    <Dialog title="Columns" onClose={onClose}>
      <div class="columns-dialog">
        <div class="column-tree">
          <AttributeTree dataclass={dataclass} prefix="" chosen={chosen} onToggle={toggle} />
        </div>
        <ol class="chosen-columns" aria-label="Chosen columns">
          {chosen.map((path, at) => (
            <li key={path}>
              <span>{path}</span>
              <button
                type="button"
                class="quiet"
                aria-label={`Move ${path} to the left`}
                disabled={at === 0}
                onClick={() => move(at, at - 1)}
              >
                ↑
              </button>
              <button
                type="button"
                class="quiet"
                aria-label={`Move ${path} to the right`}
                disabled={at === chosen.length - 1}
                onClick={() => move(at, at + 1)}
              >
                ↓
              </button>
              <button
                type="button"
                class="quiet"
                aria-label={`Remove ${path}`}
                onClick={() => toggle(path)}
              >
                ×
              </button>
            </li>
          ))}
        </ol>
      </div>
      <div class="buttons">
        <button type="button" onClick={() => onChoose(null)}>
          Standard
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="primary"
          disabled={chosen.length === 0}
          onClick={() => onChoose(chosen)}
        >
          Show
        </button>
      </div>
    </Dialog>
  );
}

interface TreeProps {
  readonly dataclass: Dataclass;
  /** The path to the dataclass, with a dot at its end; empty for none. */
  readonly prefix: string;
  readonly chosen: readonly string[];
  readonly onToggle: (path: string) => void;
}

function AttributeTree({ dataclass, prefix, chosen, onToggle }: TreeProps) {
  const depth = prefix.split('.').length - 1;
  return (
    <ul class="plain">
      {dataclass.attributes.map((attribute) => {
        const path = prefix + attribute.name;
        return (
          <li key={path}>
            <label>
              <input
                type="checkbox"
                checked={chosen.includes(path)}
                onChange={() => onToggle(path)}
              />
              {attribute.name} <span class="hint">{attribute.type}</span>
            </label>
            {isRelation(attribute) && depth < MOST_RELATIONS && (
              <RelatedTree attribute={attribute} path={path} chosen={chosen} onToggle={onToggle} />
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** The attributes behind a relation, drawn when they are asked for: relations lead back. */
function RelatedTree({
  attribute,
  path,
  chosen,
  onToggle,
}: Omit<TreeProps, 'dataclass' | 'prefix'> & { attribute: Attribute; path: string }) {
  const [isOpen, setIsOpen] = useState(chosen.some((one) => one.startsWith(`${path}.`)));
  const target = catalog.value === null ? undefined : relationTarget(attribute, catalog.value);
  if (target === undefined) return null;
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        of {target.name}
        {attribute.kind === 'relatedEntities' && ' (many)'}
      </summary>
      {isOpen && (
        <AttributeTree dataclass={target} prefix={`${path}.`} chosen={chosen} onToggle={onToggle} />
      )}
    </details>
  );
}
