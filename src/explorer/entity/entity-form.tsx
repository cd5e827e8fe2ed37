import type { Attribute, Catalog } from '../rest/catalog.ts';
import type { EntityEditor } from './entity-editor.ts';
import { FieldInput } from './field-input.tsx';
import type { FieldProps } from './field-props.ts';
import { FileField } from './file-field.tsx';
import { inputKind } from './field-values.ts';
import { RelationInput } from './relation-input.tsx';

/** The inputs of an entity's attributes and relations to one. */
export function EntityForm({ editor, catalog }: { editor: EntityEditor; catalog: Catalog }) {
  const fields = editor.dataclass.attributes.filter(({ kind }) => kind !== 'relatedEntities');
  return (
    <div class="fields">
      {fields.map((attribute) => (
        <Field key={attribute.name} attribute={attribute} editor={editor} catalog={catalog} />
      ))}
    </div>
  );
}

function Field({
  attribute,
  editor,
  catalog,
}: {
  attribute: Attribute;
  editor: EntityEditor;
  catalog: Catalog;
}) {
  const { name, type, description } = attribute;
  const isNew = editor.key === null;
  const isReadOnly =
    !editor.isEditable || isFixed(attribute, isNew) || editor.phase.value === 'saving';
  const message = editor.invalid.value.get(name) ?? editor.errors.value.byField.get(name);
  const isRequired = isNew && editor.dataclass.required.has(name);
  const id = `field-${name}`;
  const describedBy = [
    ...(description === null ? [] : [`${id}-about`]),
    ...(message === undefined ? [] : [`${id}-error`]),
  ].join(' ');
  const props: FieldProps = {
    attribute,
    editor,
    id,
    isReadOnly,
    describedBy: describedBy === '' ? undefined : describedBy,
    isInvalid: message !== undefined,
  };
  const isChanged = editor.draft.value.has(name) || editor.invalid.value.has(name);
  return (
    <div class={`field${isChanged ? ' changed' : ''}`}>
      <label for={id}>
        {name}
        {isRequired && (
          <abbr class="required" title="Needs a value">
            *
          </abbr>
        )}{' '}
        <small>
          {type}
          {attribute.isKey && ' · key'}
          {isChanged && ' · changed'}
        </small>
      </label>
      <div class="field-value">
        <FieldControl {...props} catalog={catalog} />
        {description !== null && (
          <small id={`${id}-about`} class="field-about">
            {description}
          </small>
        )}
        {message !== undefined && (
          <p id={`${id}-error`} class="field-error">
            {message}
          </p>
        )}
      </div>
    </div>
  );
}

function FieldControl({ catalog, ...props }: FieldProps & { catalog: Catalog }) {
  const { attribute, editor } = props;
  if (attribute.kind === 'relatedEntity') return <RelationInput {...props} catalog={catalog} />;
  const hasTime = editor.dateTimes.value.has(attribute.name);
  const kind = inputKind(attribute.type, attribute.maxLength, hasTime);
  if (kind === 'image' || kind === 'blob')
    return <FileField {...props} isImage={kind === 'image'} />;
  return (
    <FieldInput
      // What replaces the entity replaces the texts.
      key={`${editor.version.value} ${kind}`}
      {...props}
      kind={kind}
    />
  );
}

/** Whether the user cannot give a value: what the database fills in, calculated values, and the key of an entity that exists. */
function isFixed({ kind, readOnly, autosequence, isKey }: Attribute, isNew: boolean): boolean {
  if (kind === 'calculated' || kind === 'alias') return true;
  return readOnly || autosequence || (isKey && !isNew);
}
