/** An entity as a form. @param entityKey null for a new one, whose values `query` may give */
export function EntityView({
  dataclass,
  entityKey,
}: {
  dataclass: string;
  entityKey: string | null;
  query?: URLSearchParams;
}) {
  return (
    <h1>
      {dataclass} {entityKey ?? 'new'}
    </h1>
  );
}
