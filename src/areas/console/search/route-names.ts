import type { Artifact } from "../../../core/artifact/artifact.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import * as store from "./store.ts";

interface RouteName {
  deployment: string;
  method: string;
  path: string;
  operationId?: string | undefined;
}

type VersionRoutes = Omit<RouteName, "deployment">[];

/** Reading an artifact takes milliseconds. */
const maxDeployments = 50;
const maxKept = 500;

/** The routes of the versions that serve. A version never changes, so its routes are read once. */
export class RouteNames {
  readonly #known = new Map<string, VersionRoutes>();

  async listForAccount(reads: Reads, accountSeq: number): Promise<RouteName[]> {
    const routes: RouteName[] = [];
    for (const { deployment, seq, hash } of await store.servedArtifacts(reads, accountSeq, maxDeployments)) {
      const known = this.#known.get(`${seq} ${hash}`) ?? (await this.#read(reads, seq, hash));
      routes.push(...known.map((route) => ({ deployment, ...route })));
    }
    return routes;
  }

  async #read(reads: Reads, seq: number, hash: string): Promise<VersionRoutes> {
    const text = await store.artifactText(reads, seq, hash);
    const artifact = text === undefined ? undefined : (JSON.parse(text) as Pick<Artifact, "routes">);
    const routes = (artifact?.routes ?? []).map(({ method, path, operationId }) => ({ method, path, operationId }));
    if (this.#known.size >= maxKept) this.#known.clear();
    this.#known.set(`${seq} ${hash}`, routes);
    return routes;
  }
}
