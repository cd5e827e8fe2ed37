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

/** How far the line of a relation to its own dataclass leaves the box. */
const LOOP = 22;
const PADDING = 28;

/** Lays out the dataclasses of a catalog and their relations, the many to the left of the one. */
export function layOut(catalog: Catalog): Layout {
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({
    rankdir: 'LR',
    nodesep: 18,
    ranksep: 70,
    edgesep: 12,
    marginx: 20,
    marginy: 20,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { name } of catalog.dataclasses.values()) {
    graph.setNode(name, { width: Math.ceil(name.length * CHARACTER) + PADDING, height: HEIGHT });
  }
  const relations = relationsOf(catalog);
  for (const { from, to, relations: named } of relations) {
    // The layout would lead these through other boxes.
    if (from === to) continue;
    graph.setEdge(from, to, { width: 0, height: 0 }, named.join());
  }
  layout(graph);
  // The library's own types leave out what its layout has added.
  const laid = graph as unknown as LaidOut;
  const { width, height } = laid.graph();
  return {
    nodes: laid.nodes().map((name) => ({ ...laid.node(name), name })),
    edges: relations.map((relation) => {
      const { from, to, relations: named } = relation;
      const points = from === to ? loop(laid.node(from)) : laid.edge(from, to, named.join()).points;
      return { ...relation, points };
    }),
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

/** The lines between dataclasses: a pair of relations is one, and relations through others have none. */
export function relationsOf(catalog: Catalog): Omit<Edge, 'points'>[] {
  const found: Omit<Edge, 'points'>[] = [];
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

/** A line around the upper right corner of a box. */
function loop({ x, y, width, height }: Omit<Node, 'name'>): Point[] {
  const [right, top] = [x + width / 2, y - height / 2];
  return [
    { x: right - LOOP, y: top },
    { x: right - LOOP, y: top - LOOP },
    { x: right + LOOP, y: top - LOOP },
    { x: right + LOOP, y: top + height / 2 },
    { x: right, y: top + height / 2 },
  ];
}
