/**
 * What only SQL Server itself can tell, since no stand-in does it as documented: run on a real server, in a container or named by
 * `ENTITYGATE_TEST_SQLSERVER_URL`, and skipped with the reason on anything else.
 */
import './sqlserver-only/collations.ts';
import './sqlserver-only/columns.ts';
import './sqlserver-only/plans.ts';
import './sqlserver-only/triggers.ts';
import './sqlserver-only/values.ts';
