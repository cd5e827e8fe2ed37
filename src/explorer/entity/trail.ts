/** An entity on the way from one to the next. */
export interface Place {
  readonly dataclass: string;
  readonly key: string;
  /** What it is known by; the key until that is read. */
  readonly label: string;
}

/** The way to an entity: a place that was on it already ends it there, another one is added. */
export function trailTo(trail: readonly Place[], dataclass: string, key: string): readonly Place[] {
  const at = trail.findIndex((place) => place.dataclass === dataclass && place.key === key);
  if (at >= 0) return trail.slice(0, at + 1);
  return [...trail, { dataclass, key, label: key }];
}

/** The trail without an entity that is not there. */
export function trailWithout(
  trail: readonly Place[],
  dataclass: string,
  key: string,
): readonly Place[] {
  return trail.filter((place) => place.dataclass !== dataclass || place.key !== key);
}

/** The trail with the label of one of its places. */
export function labelled(
  trail: readonly Place[],
  dataclass: string,
  key: string,
  label: string,
): readonly Place[] {
  return trail.map((place) =>
    place.dataclass === dataclass && place.key === key ? { ...place, label } : place,
  );
}
