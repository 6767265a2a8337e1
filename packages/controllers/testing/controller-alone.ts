import { startApiServer } from '@kubernode/apiserver';
import {
  createClient,
  createEventRecorder,
  createInformerFactory,
  runController,
  type ControllerDeclaration,
} from '@kubernode/client';
import { FakeClock, seededRandom, silentLogger } from '@kubernode/machinery';
import { memoryStore } from '@kubernode/store';

/** One controller on a server in memory, and nothing else; time passes when the clock is told so. */
export async function startAlone<T>(declaration: ControllerDeclaration<T>) {
  const deps = { clock: new FakeClock(), log: silentLogger, random: seededRandom(1) };
  const store = memoryStore();
  const server = await startApiServer({ store, ...deps });
  const client = createClient(server.transport('system:admin'));
  const informers = createInformerFactory({ client, ...deps });
  const recorder = createEventRecorder({ client, component: declaration.name, ...deps });
  const controller = runController(declaration, { client, informers, recorder, ...deps });
  await informers.synced();
  return {
    ...deps,
    client,
    async [Symbol.asyncDispose]() {
      await controller.stop();
      await recorder.stop();
      await informers.stop();
      await server.stop();
      await store.close();
    },
  };
}
