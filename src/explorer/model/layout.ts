import { graphlib, layout } from '@dagrejs/dagre';
import type { Catalog, Dataclass } from '../rest/catalog.ts';
import { relationTarget } from '../rest/catalog.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A dataclass as a box; x and y are its centre. */
export interface Node extends Point {
  readonly name: string;
  readonly width: number;
  readonly height: number;
}

/** A relation and, where it has one, its inverse, as one line from the many to the one. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  /** The relations that it stands for, `Employee.employer` and `Company.employees`. */
  readonly relations: readonly string[];
  /**
   * The ends of its pieces: by turns a bend through the gap between two columns of boxes, and a level line past the boxes of a column. Of a relation to
   * its own dataclass, the four points of a Bézier curve.
   */
  readonly points: readonly Point[];
}

/** The drawn model; lengths are pixels at the scale of 1. */
export interface Layout {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  readonly width: number;
  readonly height: number;
}

const HEIGHT = 36;
const CHARACTER = 8.2;
const PADDING = 28;

/** How far lines are apart where they meet a box. */
const PORT = 9;

/** How far the line of a relation to its own dataclass rises above the box. */
const LOOP = 26;

/** Lays out the dataclasses of a catalog and their relations in columns, most of the many to the left of the one. */
export function layOut(catalog: Catalog): Layout {
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({
    rankdir: 'LR',
    nodesep: 18,
    ranksep: 90,
    edgesep: 12,
    marginx: 20,
    marginy: 20,
  });
  const relations = relationsOf(catalog);
  const loops = new Set(relations.flatMap(({ from, to }) => (from === to ? [from] : [])));
  for (const { name } of catalog.dataclasses.values()) {
    const ends = (['from', 'to'] as const).map(
      (end) => relations.filter((relation) => relation[end] === name).length,
    );
    const height = Math.max(HEIGHT, Math.max(...ends) * PORT + PORT);
    graph.setNode(name, {
      width: Math.ceil(name.length * CHARACTER) + PADDING,
      height: height + (loops.has(name) ? LOOP : 0),
    });
  }
  for (const { from, to, relations: named } of relations) {
    // The library would lead these through other boxes.
    if (from !== to) graph.setEdge(from, to, { width: 0, height: 0 }, named.join());
  }
  layout(graph);
  // The library's own types leave out what its layout has added.
  const laid = graph as unknown as LaidOut;
  const columns = columnsOf(laid);
  const nodes = new Map(
    laid.nodes().map((name): [string, Node] => {
      const { x, y, height } = laid.node(name);
      const above = loops.has(name) ? LOOP : 0;
      const width = columns.get(x) ?? 0;
      return [name, { name, x, y: y + above / 2, width, height: height - above }];
    }),
  );
  const { width, height } = laid.graph();
  return {
    nodes: [...nodes.values()],
    edges: routed(relations, nodes, ({ from, to, relations: named }) =>
      pastColumns(laid.edge(from, to, named.join()).points, columns),
    ),
    width,
    height,
  };
}

/** A graph that has been laid out. */
interface LaidOut {
  readonly graph: () => { readonly width: number; readonly height: number };
  readonly nodes: () => string[];
  readonly node: (name: string) => Omit<Node, 'name'>;
  readonly edge: (from: string, to: string, name: string) => { readonly points: Point[] };
}

type Relation = Omit<Edge, 'points'>;

/** The columns of boxes: the width of the widest box by the x of all their centres. */
function columnsOf(laid: LaidOut): ReadonlyMap<number, number> {
  const columns = new Map<number, number>();
  for (const name of laid.nodes()) {
    const { x, width } = laid.node(name);
    columns.set(x, Math.max(width, columns.get(x) ?? 0));
  }
  return columns;
}

/** The level lines on which an edge passes columns; the library's points between those are left out. */
function pastColumns(points: readonly Point[], columns: ReadonlyMap<number, number>): Point[] {
  const isLeftwards = (points.at(-1)?.x ?? 0) < (points[0]?.x ?? 0);
  return points.slice(1, -1).flatMap(({ x, y }) => {
    const half = (columns.get(x) ?? 0) / (isLeftwards ? -2 : 2);
    return half === 0
      ? []
      : [
          { x: x - half, y },
          { x: x + half, y },
        ];
  });
}

/** An end of an edge at the left (-1) or right (1) side of a box. */
interface End {
  readonly relation: Relation;
  readonly box: Node;
  readonly side: -1 | 1;
  /** The height of the edge's next point. */
  readonly towards: number;
}

/** Leads edges to the sides of their boxes. Those of one side are spread over it in the order in which they come, so that they do not cross there. */
function routed(
  relations: readonly Relation[],
  boxes: ReadonlyMap<string, Node>,
  wayOf: (relation: Relation) => readonly Point[],
): Edge[] {
  const drawn = relations.flatMap((relation) => {
    const [from, to] = [boxes.get(relation.from), boxes.get(relation.to)];
    if (from === undefined || to === undefined) return [];
    return [{ relation, from, to, way: from === to ? [] : wayOf(relation) }];
  });
  const ends = drawn.flatMap(({ relation, from, to, way }): End[] => {
    if (from === to) return [];
    const side = from.x < to.x ? 1 : -1;
    return [
      { relation, box: from, side, towards: way.at(0)?.y ?? to.y },
      { relation, box: to, side: side === 1 ? -1 : 1, towards: way.at(-1)?.y ?? from.y },
    ];
  });
  const pointAt = (relation: Relation, box: Node): Point => {
    const side = ends.find((end) => end.relation === relation && end.box === box)?.side ?? 1;
    const beside = ends
      .filter((end) => end.box === box && end.side === side)
      .sort((one, other) => one.towards - other.towards);
    const at = beside.findIndex((end) => end.relation === relation);
    return {
      x: box.x + (side * box.width) / 2,
      y: box.y + ((at + 1) / (beside.length + 1) - 0.5) * box.height,
    };
  };
  return drawn.map(({ relation, from, to, way }) => ({
    ...relation,
    points: from === to ? loop(from) : [pointAt(relation, from), ...way, pointAt(relation, to)],
  }));
}

/** The lines between dataclasses: a pair of relations is one, and relations through others have none. */
export function relationsOf(catalog: Catalog): Relation[] {
  const found: Relation[] = [];
  for (const dataclass of catalog.dataclasses.values()) {
    for (const attribute of dataclass.attributes) {
      const target = relationTarget(attribute, catalog);
      if (target === undefined) continue;
      const own = `${dataclass.name}.${attribute.name}`;
      const inverse = attribute.inverse === null ? null : `${target.name}.${attribute.inverse}`;
      if (attribute.kind === 'relatedEntity') {
        const hasInverse = inverse !== null && hasAttribute(target, attribute.inverse);
        const relations = hasInverse ? [own, inverse] : [own];
        found.push({ from: dataclass.name, to: target.name, relations });
      } else if (
        !hasAttribute(target, attribute.inverse) &&
        attribute.path?.includes('.') !== true
      ) {
        found.push({ from: target.name, to: dataclass.name, relations: [own] });
      }
    }
  }
  return found;
}

function hasAttribute({ attributes }: Dataclass, name: string | null): boolean {
  return attributes.some((attribute) => attribute.name === name);
}

/** A bow above a box. */
function loop({ x, y, height }: Node): Point[] {
  const top = y - height / 2;
  const above = top - LOOP;
  return [
    { x: x - LOOP, y: top },
    { x: x - LOOP, y: above },
    { x: x + LOOP, y: above },
    { x: x + LOOP, y: top },
  ];
}
