import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { sqlite } from "./support/engines.ts";
import { type Deployed, deploy } from "./support/project.ts";
import { useServer } from "./support/server.ts";

const examples = join(import.meta.dir, "../examples");

/** The project of an example, as `tollgate deploy` packs it. */
async function projectOf(name: string): Promise<Record<string, string>> {
  const names = [...new Bun.Glob("{openapi,tollgate}.json").scanSync(join(examples, name))];
  const texts = names.map(async (file) => [file, await Bun.file(join(examples, name, file)).text()] as const);
  return Object.fromEntries(await Promise.all(texts));
}

const server = useServer(sqlite);

describe("mock", () => {
  let deployed: Deployed;

  beforeAll(async () => {
    deployed = await deploy(server, { project: "parcels", branch: "main" }, await projectOf("mock"));
  });

  const send = async (path: string, init?: RequestInit) => {
    const response = await deployed.call(path, init);
    return [response.status, await response.json()];
  };
  const post = (body: string) => ({ method: "POST", body, headers: { "content-type": "application/json" } });

  test("responds as its README says", async () => {
    const parcel = { id: "par_1", weightKg: 1, status: "waiting", sentOn: "2026-01-15T10:00:00Z" };
    expect(await send("/parcels")).toEqual([200, [parcel, parcel]]);
    expect(await send("/parcels/par_1")).toEqual([200, { id: "par_1", weightKg: 2.5, status: "delivered" }]);
    expect(await send("/parcels/par_1", { headers: { prefer: "code=404" } })).toEqual([404, { error: "not_found" }]);
    expect(await send("/parcels", post('{"weightKg":2.5}'))).toEqual([201, parcel]);
    expect(await send("/parcels", post('{"weightKg":31}'))).toMatchObject([400, { code: "request_invalid" }]);
  });
});
