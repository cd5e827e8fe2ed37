import { getContainerRuntimeClient } from 'testcontainers';

/** Whether a container runtime answers on this machine. */
export async function hasDocker(): Promise<boolean> {
  try {
    await getContainerRuntimeClient();
    return true;
  } catch {
    return false;
  }
}
