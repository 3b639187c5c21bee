import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { archiveOf, tarOf, tarOfEntries } from "../../../../../test/support/archives.ts";
import { casesFor, eachEngine, sqlite } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { HalfUpload } from "../../../../../test/support/half-upload.ts";
import {
  type Branch,
  openApi,
  projectArchive,
  readStatus,
  requestUpload,
  settledStatus,
} from "../../../../../test/support/project.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { tableContent } from "../../../../../test/support/table-content.ts";
import { until } from "../../../../../test/support/until.ts";

const minute = 60 * 1000;
const hour = 60 * minute;
const mebibyte = 1024 * 1024;

const files = { "openapi.json": openApi({ "/": { "x-tollgate": { upstream: "http://127.0.0.1:1" } } }) };
const good = await projectArchive(files);
const tar = await tarOf({ "openapi.json": JSON.stringify(files["openapi.json"]) });

const withEntry = async (...entry: Parameters<typeof tarOfEntries>[0][number]) =>
  gzipSync(await tarOfEntries([[{ name: "openapi.json" }, JSON.stringify(files["openapi.json"])], entry]));

let count = 0;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  /** An upload has no token. */
  const uploader = client.anonymous();

  const newPlace = (): Branch => ({ project: `upload-${++count}`, branch: "main" });
  const put = (path: string, archive: Uint8Array) => uploader.raw("PUT", path, archive);

  async function deploymentOf({ project }: Branch) {
    const { body } = await client.get(`/v1/accounts/${account}/projects/${project}/deployments`);
    return body.data[0];
  }

  /** The rows of archives that were uploaded for a project. */
  async function stored({ project }: Branch) {
    const rows = async (table: string, belongs: (row: Record<string, unknown>) => boolean) =>
      (await tableContent(server.database, table)).filter(belongs);
    const [deployment] = await rows("deployments", (row) => row.project === project);
    const sources = await rows("deployment_sources", (row) => row.deployment_seq === deployment?.seq);
    const seqs = sources.map(({ seq }) => seq);
    const chunks = await rows("deployment_source_chunks", (row) => seqs.includes(row.source_seq));
    return { sources, chunks: chunks.map(({ data }) => Buffer.from(data as Uint8Array)) };
  }

  const uploading = (place: Branch, statusId: string) =>
    until(async () => (await readStatus(client, place, statusId)).body.steps.upload.status === "IN_PROGRESS", {});

  describe("an archive", () => {
    test("returns once it is stored, and is built then", async () => {
      const place = newPlace();
      const { path, statusId } = await requestUpload(client, place);
      const { status, body } = await put(path, good);
      expect([status, body]).toEqual([200, { status: "queued", statusId }]);
      expect(Buffer.concat((await stored(place)).chunks).equals(good)).toBe(true);
      expect(await settledStatus(client, place, statusId)).toMatchObject({ status: "SUCCESS" });
    });

    test("an archive that is large is stored in pieces", async () => {
      const place = newPlace();
      const { path, statusId } = await requestUpload(client, place);
      const large = await archiveOf({
        "openapi.json": JSON.stringify(files["openapi.json"]),
        "noise.bin": randomBytes(3 * mebibyte),
      });
      expect((await put(path, large)).status).toBe(200);
      const { chunks } = await stored(place);
      expect(chunks.slice(0, 3).map(({ length }) => length)).toEqual([mebibyte, mebibyte, mebibyte]);
      expect(Buffer.concat(chunks).equals(large)).toBe(true);
      expect(await settledStatus(client, place, statusId)).toMatchObject({ status: "SUCCESS" });
    });

    test("is taken until an hour has passed", async () => {
      const place = newPlace();
      const { path, statusId } = await requestUpload(client, place);
      clock.advance(hour - 1);
      expect((await put(path, good)).status).toBe(200);
      expect(await settledStatus(client, place, statusId)).toMatchObject({ status: "SUCCESS" });
    });

    test("is taken once of twenty that are sent together", async () => {
      const place = newPlace();
      const { path, statusId } = await requestUpload(client, place);
      const responses = await Promise.all(Array.from({ length: 20 }, () => put(path, good)));
      const rejected = responses.filter(({ status }) => status !== 200);
      expect(rejected).toHaveLength(19);
      // The result depends on whether the accepted upload had ended by then.
      for (const { status, body } of rejected)
        expect([status, ["upload_in_progress", "upload_used"].includes(body.code)]).toEqual([409, true]);
      expect(await settledStatus(client, place, statusId)).toMatchObject({ status: "SUCCESS" });
      expect((await stored(place)).sources).toHaveLength(1);
      const { name } = await deploymentOf(place);
      expect((await client.get(`/v1/deployments/${name}/versions`)).body.total).toBe(1);
    });

    test("is not taken a second time", async () => {
      const place = newPlace();
      const { path, statusId } = await requestUpload(client, place);
      await put(path, good);
      const status = await settledStatus(client, place, statusId);
      const before = await stored(place);
      expectProblem(await put(path, await projectArchive({ "openapi.json": "{}" })), 409, "upload_used");
      expect((await readStatus(client, place, statusId)).body).toEqual(status);
      expect(await stored(place)).toEqual(before);
    });
  });

  describe("is rejected with its reason, and is not stored:", () => {
    const link = { name: "link", linkname: "/etc/passwd" };
    const bad: [what: string, archive: () => Uint8Array | Promise<Uint8Array>, reason: RegExp][] = [
      ["an empty body", () => new Uint8Array(), /truncated/],
      ["text", () => Buffer.from("hello, is this the right place?"), /not gzip/],
      ["a tar without gzip", () => tar, /not gzip/],
      ["gzip of something else", () => gzipSync("words and more words, ".repeat(100)), /not a tar/],
      ["an archive of nothing but a byte", () => good.subarray(0, 1), /truncated/],
      ["an archive cut in its head", () => good.subarray(0, 10), /truncated/],
      ["an archive cut in half", () => good.subarray(0, good.length >> 1), /truncated/],
      ["an archive cut before its checksum", () => good.subarray(0, -8), /truncated/],
      ["an archive without its last byte", () => good.subarray(0, -1), /truncated/],
      ["a tar cut in a header", () => gzipSync(tar.subarray(0, 300)), /truncated/],
      ["a tar cut in a file", () => gzipSync(tar.subarray(0, 600)), /truncated/],
      ["a tar without its end", () => gzipSync(tar.subarray(0, -1024)), /truncated/],
      ["a damaged archive", () => Buffer.concat([good.subarray(0, 40), randomBytes(40), good.subarray(80)]), /damaged/],
      ["a symbolic link", () => withEntry({ ...link, type: "symlink" }), /"link" is a symbolic link/],
      ["a hard link", () => withEntry({ ...link, type: "link" }), /"link" is a hard link/],
      ["a character device", () => withEntry({ name: "null", type: "character-device" }), /"null" is a device/],
      ["a block device", () => withEntry({ name: "disk", type: "block-device" }), /"disk" is a device/],
      ["a named pipe", () => withEntry({ name: "pipe", type: "fifo" }), /"pipe" is a named pipe/],
      ["an absolute path", () => withEntry({ name: "/etc/passwd" }, "x"), /absolute path/],
      ["a path that leads out", () => withEntry({ name: "modules/../../x" }, "x"), /is outside of/],
      ["a path with a backslash", () => withEntry({ name: "..\\x" }, "x"), /backslash/],
      ["a file twice", () => withEntry({ name: "./openapi.json" }, "{}"), /twice/],
      [
        "5,001 files",
        async () => archiveOf(Object.fromEntries(Array.from({ length: 5001 }, (_, at) => [`files/${at}`, ""]))),
        /more than 5000 files/,
      ],
      ["a bomb", () => withEntry({ name: "zeros" }, new Uint8Array(20 * mebibyte)), /times its size/],
    ];
    test.each(casesFor(engine, bad))("%s", async (_what, archive, reason) => {
      await expectRejected(await archive(), reason, 400, "archive_refused");
    });

    if (engine === sqlite)
      test("more than 50 MiB", async () => {
        const archive = gzipSync(await tarOf({ noise: randomBytes(50 * mebibyte) }), { level: 0 });
        await expectRejected(archive, /larger than 50 MiB/, 413, "body_too_large");
      });

    async function expectRejected(archive: Uint8Array, reason: RegExp, status: number, code: string): Promise<void> {
      const place = newPlace();
      const { path, statusId } = await requestUpload(client, place);
      const response = await put(path, archive);
      expectProblem(response, status, code);
      expect(response.body.detail).toMatch(reason);

      const { body } = await readStatus(client, place, statusId);
      expect(body).toMatchObject({ status: "ERROR", buildResult: {} });
      expect(body.steps.upload).toMatchObject({ status: "ERROR", message: response.body.detail });
      for (const step of ["unpack", "validate", "build", "start"]) expect(body.steps[step].status).toBe("PENDING");
      const deployment = await deploymentOf(place);
      expect(deployment).toMatchObject({ state: "ERROR", message: "BUILD_FAILED" });
      expect(await stored(place)).toEqual({ sources: [], chunks: [] });

      expectProblem(await put(path, good), 409, "upload_used");
      expectProblem(await client.post(`/v1/deployments/${deployment.name}/deploy`), 409, "no_source");
      expect((await client.get(`/v1/deployments/${deployment.name}/versions`)).body.total).toBe(0);
    }
  });

  describe("an address that does not open:", () => {
    /** Nothing was stored, and the real address is still valid. */
    async function expectStillOpen(place: Branch, { path, statusId }: { path: string; statusId: string }) {
      expect((await readStatus(client, place, statusId)).body.steps.upload).toEqual({ status: "PENDING" });
      expect(await stored(place)).toEqual({ sources: [], chunks: [] });
      expect((await put(path, good)).status).toBe(200);
      expect(await settledStatus(client, place, statusId)).toMatchObject({ status: "SUCCESS" });
    }

    test("without its token, with a forged one, or with that of another", async () => {
      const place = newPlace();
      const given = await requestUpload(client, place);
      const other = await requestUpload(client, newPlace());
      const [address, token] = given.path.split("?token=") as [string, string];
      const forged = [
        address,
        `${address}?token=`,
        `${address}?token=${token.slice(0, -1)}`,
        `${address}?token=${token}x`,
        `${address}?${other.path.split("?")[1]}`,
      ];
      for (const path of forged) expectProblem(await put(path, good), 403, "upload_forbidden");
      // A token of the API does not authorize an upload.
      expectProblem(await client.raw("PUT", address, good), 403, "upload_forbidden");
      await expectStillOpen(place, given);
    });

    test("an address that was never issued is rejected", async () => {
      const place = newPlace();
      const given = await requestUpload(client, place);
      const token = given.path.split("?")[1];
      const names = [
        `${crypto.randomUUID()}.tar.gz`,
        `${given.statusId.toUpperCase()}.tar.gz`,
        `${given.statusId}.tgz`,
        `${given.statusId}`,
        `x${given.statusId}.tar.gz`,
        "archive.tar.gz",
        "%2e%2e%2fx.tar.gz",
      ];
      for (const name of names) {
        const response = await put(`/v1/deployments/sources/${name}?${token}`, good);
        expectProblem(response, 404, "not_found");
      }
      await expectStillOpen(place, given);
    });

    test("the address of a build that is no upload is rejected", async () => {
      const place = newPlace();
      const { path, statusId } = await requestUpload(client, place);
      await put(path, good);
      await settledStatus(client, place, statusId);
      const { name } = await deploymentOf(place);
      const { body } = await client.post(`/v1/deployments/${name}/deploy`);
      const before = await stored(place);
      const response = await put(`/v1/deployments/sources/${body.statusId}.tar.gz?${path.split("?")[1]}`, good);
      expectProblem(response, 404, "not_found");
      expect(await stored(place)).toEqual(before);
      await settledStatus(client, place, body.statusId);
    });

    test("after an hour", async () => {
      const place = newPlace();
      const { path, statusId } = await requestUpload(client, place);
      clock.advance(hour);
      expectProblem(await put(path, good), 403, "upload_expired");
      expect((await readStatus(client, place, statusId)).body).toMatchObject({ status: "IN_PROGRESS" });
      expect(await stored(place)).toEqual({ sources: [], chunks: [] });
    });

    test("the address of a deployment that was deleted is rejected", async () => {
      const place = newPlace();
      const { path } = await requestUpload(client, place);
      const { name } = await deploymentOf(place);
      expect((await client.delete(`/v1/deployments/${name}`)).status).toBe(204);
      expectProblem(await put(path, good), 404, "not_found");
      expect(await stored(place)).toEqual({ sources: [], chunks: [] });
    });

    test("another method at the address is rejected", async () => {
      const place = newPlace();
      const given = await requestUpload(client, place);
      for (const method of ["GET", "POST", "PATCH", "DELETE"]) {
        const response = await uploader.raw(method, given.path, method === "GET" ? undefined : good);
        expectProblem(response, 405, "method_not_allowed");
        expect(response.headers.get("allow")).toBe("PUT");
      }
      await expectStillOpen(place, given);
    });
  });

  describe("an interrupted upload", () => {
    test("leaves nothing, and may be made again", async () => {
      const place = newPlace();
      const { path, statusId } = await requestUpload(client, place);
      const half = await HalfUpload.open(server.url, path, good.length);
      half.send(good.subarray(0, good.length >> 1));
      await uploading(place, statusId);
      const rejected = await put(path, good);
      expectProblem(rejected, 409, "upload_in_progress");
      expect(rejected.headers.get("retry-after")).toBe("2");
      half.abort();
      await until(async () => (await readStatus(client, place, statusId)).body.steps.upload.status === "PENDING", {});
      expect(await stored(place)).toEqual({ sources: [], chunks: [] });
      expect((await put(path, good)).status).toBe(200);
      expect(await settledStatus(client, place, statusId)).toMatchObject({ status: "SUCCESS" });
    });

    test("an interrupted upload that stalls is aborted after a little more than a minute, and cannot affect the next one", async () => {
      for (const finish of ["abort", "continue"]) {
        const place = newPlace();
        const { path, statusId } = await requestUpload(client, place);
        const half = await HalfUpload.open(server.url, path, good.length);
        half.send(good.subarray(0, good.length >> 1));
        await uploading(place, statusId);
        clock.advance(70_001);
        expect((await put(path, good)).status).toBe(200);
        const status = await settledStatus(client, place, statusId);
        expect(status).toMatchObject({ status: "SUCCESS" });
        if (finish === "abort") half.abort();
        else half.send(good.subarray(good.length >> 1));
        if (finish === "continue") expect(await half.response).toContain("upload_used");
        await until(async () => (await stored(place)).sources.length === 1);
        expect((await readStatus(client, place, statusId)).body).toEqual(status);
        expect(Buffer.concat((await stored(place)).chunks).equals(good)).toBe(true);
      }
    });
  });

  test("the token of an upload address is in no log line", async () => {
    const { path } = await requestUpload(client, newPlace());
    const { headers } = await put(path, good);
    await until(() => server.log.includes(headers.get("x-request-id")!));
    expect(server.log).not.toContain(path.split("?token=")[1]!);
  });
});
