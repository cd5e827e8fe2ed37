/** Tells where SAP CAP serves. */
import console from 'node:console';
import cds from '@sap/cds';

cds.on('listening', ({ server }) => {
  console.error(`serves at http://127.0.0.1:${server.address().port}`);
});

export default cds.server;
