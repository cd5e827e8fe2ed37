import type { ColumnType } from '../../schema/types.ts';
import { edgeDays } from '../edge-days.ts';
import { inDecimals } from './expressions.ts';

/** A date-time in a time zone by its Windows name; null is UTC. */
export function inZone(time: string, zone: string | null): string {
  return zone === null ? time : `${time} AT TIME ZONE N'${zone.replaceAll("'", "''")}'`;
}

/**
 * An instant in the time zone in which date-times without offset are written.
 * @param type of the column that it meets, whose first and last day are the same in both
 */
export function localTime(instant: string, type: ColumnType, zone: string | null): string {
  if (zone === null) return instant;
  const isEdge = `CONVERT(date, ${instant}) IN (${edgeDays(type)})`;
  return `CASE WHEN ${isEdge} THEN ${instant} ELSE ${inZone(instant, zone)} END`;
}

/** A column of date-times without offset as text in UTC: {@link localTime} the other way round. */
export function utcText(name: string, type: ColumnType, zone: string | null): string {
  if (zone === null) return `CONVERT(nvarchar(27), ${name}, 126)`;
  const local = inDecimals(name, type);
  const isEdge = `CONVERT(date, ${name}) IN (${edgeDays(type)})`;
  const utc = `CONVERT(datetime2(7), ${inZone(local, zone)} AT TIME ZONE 'UTC')`;
  return `CONVERT(nvarchar(27), CASE WHEN ${isEdge} THEN ${local} ELSE ${utc} END, 126)`;
}
