import { effect, signal } from '@preact/signals';
import { route } from '../navigation.ts';
import { hrefs } from '../routes.ts';
import { loginCount } from '../session.ts';
import { labelled, type Place, trailTo, trailWithout } from './trail.ts';

/** The entities that the user has come by, from relation to relation. */
const trail = signal<readonly Place[]>([]);

let logins = 0;

effect(() => {
  const { value } = route;
  // Another user may not see by which entities the last one has come.
  if (loginCount.value !== logins) trail.value = [];
  logins = loginCount.value;
  if (value.view === 'entity') trail.value = trailTo(trail.peek(), value.dataclass, value.key);
  else if (value.view !== 'new') trail.value = [];
});

/** Says what an entity of the trail is known by. */
export function labelPlace(dataclass: string, key: string, label: string): void {
  trail.value = labelled(trail.peek(), dataclass, key, label);
}

/** Takes an entity that cannot be read out of the trail. */
export function dropPlace(dataclass: string, key: string): void {
  trail.value = trailWithout(trail.peek(), dataclass, key);
}

/** The way back: the collection, and the entities that led here. */
export function TrailNav({
  dataclass,
  entityKey,
}: {
  dataclass: string;
  entityKey: string | null;
}) {
  const places = trail.value;
  const first = places[0]?.dataclass ?? dataclass;
  return (
    <nav class="trail" aria-label="The way back">
      <ol>
        <li>
          <a href={hrefs.collection(first)}>{first}</a>
        </li>
        {places.map((place) => {
          const isHere = place.dataclass === dataclass && place.key === entityKey;
          return (
            <li key={`${place.dataclass}/${place.key}`}>
              {isHere ? (
                <span aria-current="page">{place.label}</span>
              ) : (
                <a href={hrefs.entity(place.dataclass, place.key)}>{place.label}</a>
              )}
            </li>
          );
        })}
        {entityKey === null && (
          <li>
            <span aria-current="page">New {dataclass}</span>
          </li>
        )}
      </ol>
    </nav>
  );
}
