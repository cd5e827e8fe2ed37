import type { Attribute, Catalog } from '../rest/catalog.ts';
import type { EntityEditor } from './entity-editor.ts';
import { FieldInput } from './field-input.tsx';
import type { FieldProps } from './field-props.ts';
import { FileField } from './file-field.tsx';
import { inputKind } from './field-values.ts';
import { formFields, isFixed, isRequired } from './form-fields.ts';
import { RelationInput } from './relation-input.tsx';

/** The inputs of an entity's attributes and relations to one. */
export function EntityForm({ editor, catalog }: { editor: EntityEditor; catalog: Catalog }) {
  return (
    <div class="fields">
      {formFields(editor.dataclass).map((attribute) => (
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
    !editor.isEditable ||
    isFixed(attribute, editor.dataclass, isNew) ||
    editor.phase.value === 'saving';
  const message = editor.invalid.value.get(name) ?? editor.errors.value.byField.get(name);
  const isNeeded = isNew && !isReadOnly && isRequired(attribute, editor.dataclass);
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
    isRequired: isNeeded,
    describedBy: describedBy === '' ? undefined : describedBy,
    isInvalid: message !== undefined,
  };
  const isChanged = editor.draft.value.has(name) || editor.invalid.value.has(name);
  return (
    <div class={`field${isChanged ? ' changed' : ''}`}>
      <label for={id}>
        {name}
        {isNeeded && (
          <span class="required" title="Needs a value" aria-hidden="true">
            *
          </span>
        )}{' '}
        <small>
          {type}
          {attribute.isKey && ' · key'}
          {editor.isEditable && whyFixed(attribute, editor)}
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

/** Says why one field of a form that can be changed cannot; the key of an entity says so itself. */
function whyFixed(
  { kind, path, readOnly, autosequence, isKey }: Attribute,
  editor: EntityEditor,
): string {
  if (kind === 'alias') return ` · from ${path ?? ''}`;
  if (kind === 'calculated') return ' · computed';
  if (autosequence && editor.key === null) return ' · numbered by the database';
  return readOnly && !isKey ? ' · read-only' : '';
}
