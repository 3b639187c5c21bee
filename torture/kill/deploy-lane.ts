import { expect } from "bun:test";
import type { Client } from "../../test/support/client.ts";
import { type Branch, callHost, projectArchive, readStatus, settledStatus } from "../../test/support/project.ts";
import { account } from "../../test/support/server-settings.ts";
import { until } from "../../test/support/until.ts";
import { versionOf } from "../../test/support/versioned-project.ts";
import { expectStatus } from "../expect-status.ts";
import type { Random } from "../random.ts";
import { posting } from "./consumer-lane.ts";
import { type Attempt, Lane } from "./lane.ts";

interface Upload {
  place: Branch;
  marker: string;
  path: string;
  statusId: string;
}

/** Uploads projects, at most one between two kills: every one that was acknowledged must come to serve. */
export class DeployLane extends Lane {
  served = 0;
  #address: Upload | undefined;
  /** Acknowledged uploads that have not been seen serving yet. */
  #taken: Upload[] = [];
  #count = 0;

  constructor(
    private readonly server: { readonly url: string },
    private readonly upstream: Bun.Server<unknown>,
    private readonly random: Random,
  ) {
    super();
  }

  override async run(client: Client, isOver: () => boolean): Promise<void> {
    const takesPart = this.random.chance(0.4);
    if (takesPart) await super.run(client, () => isOver() || this.#taken.length > 0);
  }

  protected next(): Attempt {
    return this.#address ? this.#upload(this.#address) : this.#requestAddress();
  }

  async verify(client: Client): Promise<void> {
    await this.retryInDoubt(client);
    for (const { place, marker, statusId } of this.#taken) {
      const status = await settledStatus(client, place, statusId);
      expect(status).toMatchObject({ status: "SUCCESS" });
      const { hostname } = new URL(status.url);
      const { body } = await client.get(`/v1/deployments/${hostname.split(".")[0]}/versions`);
      expect(body.data.map((version: { statusId: string }) => version.statusId)).toEqual([statusId]);
      const serves = async () => {
        const response = await callHost(this.server.url, hostname, "/forwarded");
        return response.status === 200 && (await response.text()) === marker;
      };
      await until(serves, { what: `${hostname} to serve` });
      this.served += 1;
    }
    this.#taken = [];
  }

  #requestAddress(): Attempt {
    const marker = `version-${++this.#count}`;
    const place = { project: `project-${this.#count}`, branch: "main" };
    return {
      kind: "upload addresses",
      send: posting("/v1/deployments/sources", {
        accountName: account,
        projectName: place.project,
        branchName: "main",
      }),
      acknowledge: (response) => {
        expectStatus(response, [200]);
        const { pathname, search } = new URL(response.body.uploadUrl);
        const statusId = pathname.split("/").at(-1)!.replace(".tar.gz", "");
        this.#address = { place, marker, path: pathname + search, statusId };
      },
    };
  }

  #upload(upload: Upload): Attempt {
    const { place, marker, path, statusId } = upload;
    let isStored = false;
    return {
      kind: "uploads",
      send: async (client) => {
        const archive = await projectArchive(versionOf(this.upstream, marker));
        const response = await client.anonymous().raw("PUT", path, archive);
        if (response.status === 409)
          isStored = (await readStatus(client, place, statusId)).body.steps.upload.status === "SUCCESS";
        return response;
      },
      acknowledge: (response, isRetry) => {
        if (isRetry && isStored) expectStatus(response, [409]);
        else expectStatus(response, [200]);
        this.#address = undefined;
        this.#taken.push(upload);
      },
    };
  }
}
