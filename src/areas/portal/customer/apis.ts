import type { Reads } from "../../../platform/storage/storage.ts";
import { type ExampleRequest, exampleRequest } from "../../deployments/versions/example-request.ts";
import type { Sites } from "../../deployments/versions/sites.ts";
import { liveVersion, versionContents } from "../../deployments/versions/version-contents.ts";

export interface Api {
  deployment: string;
  title: string;
  example: ExampleRequest | undefined;
}

type Described = Omit<Api, "deployment">;

/** Enough for the portals of a machine. Artifacts are large, so what is read of them is cached. */
const maxCached = 500;

/** The APIs of portals, as their live versions describe them. */
export class Apis {
  /** By artifact, which never changes, and bucket. */
  readonly #described = new Map<string, Described>();

  constructor(private readonly sites: Sites) {}

  /** The APIs of deployments that have a live version, in the order of the portal. */
  async list(reads: Reads, accountSeq: number, deployments: readonly string[], bucketName: string): Promise<Api[]> {
    const apis = await Promise.all(deployments.map((name) => this.#find(reads, accountSeq, name, bucketName)));
    return apis.filter((api) => api !== undefined);
  }

  async #find(reads: Reads, accountSeq: number, name: string, bucketName: string): Promise<Api | undefined> {
    const version = await liveVersion(reads, accountSeq, name);
    if (!version) return undefined;
    const key = `${version.artifact_hash} ${name} ${bucketName}`;
    let described = this.#described.get(key);
    if (!described) {
      const { contents } = await versionContents(reads, accountSeq, name, String(version.number));
      const site = await this.sites.live(reads, accountSeq, name);
      const example = exampleRequest(contents, site?.contents.targets ?? {}, { bucketName });
      described = { title: site?.contents.navigation.title ?? name, example };
      if (this.#described.size >= maxCached) this.#described.clear();
      this.#described.set(key, described);
    }
    return { deployment: name, ...described };
  }
}
