/** The dataclasses and their relations. @param dataclass the one whose attributes are shown; null for the graph of all */
export function ModelView({ dataclass }: { dataclass: string | null }) {
  return <h1>Model {dataclass}</h1>;
}
