/** A dataclass's entities in a grid. @param query what the grid shows: filter, order, columns */
export function CollectionView({ dataclass }: { dataclass: string; query: URLSearchParams }) {
  return <h1>{dataclass}</h1>;
}
