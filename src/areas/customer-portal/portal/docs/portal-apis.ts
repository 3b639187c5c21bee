import type { Reads } from "../../../../platform/storage/storage.ts";
import { type AgentRoute, agentRoutes } from "../../../gateways/deployments/versions/agent-access.ts";
import { type ExampleRequest, exampleRequest } from "../../../gateways/deployments/versions/example-request.ts";
import type { Sites } from "../../../gateways/deployments/versions/sites.ts";
import { liveVersion, versionContents } from "../../../gateways/deployments/versions/version-contents.ts";

/** An API as a portal lists it. */
export interface PortalApi {
  deployment: string;
  title: string;
  example: ExampleRequest | undefined;
  agents: AgentRoute[];
}

type Description = Omit<PortalApi, "deployment">;

/** The maximum number of cached descriptions. Reading one from an artifact is slow, because artifacts are large. */
const maxCached = 500;

/** Lists the APIs of portals. Titles, examples and routes for agents come from the live version of each deployment. */
export class PortalApis {
  /** By artifact, deployment and bucket. An artifact never changes, so its descriptions stay valid. */
  readonly #descriptions = new Map<string, Description>();

  constructor(private readonly sites: Sites) {}

  /** Returns the APIs in the order of `deployments`, without those that have no live version. */
  async list(
    reads: Reads,
    accountSeq: number,
    deployments: readonly string[],
    bucketName: string,
  ): Promise<PortalApi[]> {
    const apis = await Promise.all(deployments.map((name) => this.#find(reads, accountSeq, name, bucketName)));
    return apis.filter((api) => api !== undefined);
  }

  async #find(reads: Reads, accountSeq: number, name: string, bucketName: string): Promise<PortalApi | undefined> {
    const version = await liveVersion(reads, accountSeq, name);
    if (!version) return undefined;
    const key = `${version.artifact_hash} ${name} ${bucketName}`;
    let description = this.#descriptions.get(key);
    if (!description) {
      const { contents } = await versionContents(reads, accountSeq, name, String(version.number));
      const site = await this.sites.live(reads, accountSeq, name);
      const example = exampleRequest(contents, site?.contents.targets ?? {}, { bucketName });
      const agents = agentRoutes(contents, bucketName);
      description = { title: site?.contents.navigation.title ?? name, example, agents };
      if (this.#descriptions.size >= maxCached) this.#descriptions.clear();
      this.#descriptions.set(key, description);
    }
    return { deployment: name, ...description };
  }
}
