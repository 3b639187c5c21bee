import { parse } from "yaml";
import type { Reads } from "../../../platform/storage/storage.ts";
import { liveVersion, versionContents } from "../../deployments/versions/version-contents.ts";
import { type ExampleRequest, exampleRequest } from "./example-request.ts";

export interface Api {
  deployment: string;
  title: string;
  example: ExampleRequest | undefined;
}

type Described = Omit<Api, "deployment">;

/** Enough for the portals of a machine. Documents are large, so what is read of them is cached. */
const maxCached = 500;

/** The APIs of portals, as their live versions describe them. */
export class Apis {
  /** By artifact, which never changes, and bucket. */
  readonly #described = new Map<string, Described>();

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
      const document = contents.document ? readDocument(contents.document.text) : undefined;
      const title = (document as { info?: { title?: unknown } } | undefined)?.info?.title;
      const example = exampleRequest(contents, document, bucketName);
      described = { title: typeof title === "string" && title !== "" ? title : name, example };
      if (this.#described.size >= maxCached) this.#described.clear();
      this.#described.set(key, described);
    }
    return { deployment: name, ...described };
  }
}

/** JSON or YAML. The build has validated it. */
function readDocument(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parse(text);
  }
}
