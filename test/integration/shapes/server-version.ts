import { sqlServerTarget, sqlServerVersion } from '../../targets/sqlserver.ts';

const version = (await sqlServerTarget.unavailable()) === null ? await sqlServerVersion() : null;

/** The reason, where what the server for SQL Server says of its version is among these; null otherwise. */
export function lackingOn(versions: RegExp, reason: string): string | null {
  return version !== null && versions.test(version) ? reason : null;
}
