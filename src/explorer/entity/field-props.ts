import type { Attribute } from '../rest/catalog.ts';
import type { EntityEditor } from './entity-editor.ts';

/** What an input is told of its field. */
export interface FieldProps {
  readonly attribute: Attribute;
  readonly editor: EntityEditor;
  readonly id: string;
  readonly isReadOnly: boolean;
  /** Whether a new entity has to have a value. */
  readonly isRequired: boolean;
  /** The ids of what describes the input, for screen readers. */
  readonly describedBy: string | undefined;
  readonly isInvalid: boolean;
}
