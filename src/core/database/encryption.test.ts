import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eachEngine } from "../../../test/support/engines.ts";
import { useStorage } from "../../../test/support/storage.ts";
import { Keyring, MissingKey } from "../../lib/crypto/keyring.ts";
import { openKeyring } from "./encryption.ts";

const first = randomBytes(32);
const second = randomBytes(32);
const nameOf = (key: Buffer) => new Keyring([key]).names[0]!;

eachEngine((engine) => {
  describe("configured keys", () => {
    const storage = useStorage(engine);
    const open = (...configured: Buffer[]) =>
      openKeyring(storage.open, { configured, dataDirectory: storage.dataDirectory, now: storage.clock.now() });
    const storedNames = async () => {
      const rows = await storage.open.reads.query.selectFrom("encryption_keys").select("name").execute();
      return rows.map((row) => row.name).sort();
    };

    test("nodes that start at once with the same key all start, and its name is stored once", async () => {
      const keyrings = await Promise.all(Array.from({ length: 8 }, () => open(first)));
      expect(new Set(keyrings.flatMap((keyring) => keyring.names))).toEqual(new Set([nameOf(first)]));
      expect(await storedNames()).toEqual([nameOf(first)]);
      expect(existsSync(join(storage.dataDirectory, "encryption-key"))).toBe(false);
    });

    test("a server without a key that was used does not start, and names the missing key", async () => {
      await expect(open(second)).rejects.toThrow(
        `This database is encrypted with key ${nameOf(first)}, and this server has ${nameOf(second)}. ` +
          "Set TOLLGATE_ENCRYPTION_KEY to the key that the other servers use",
      );
      expect(await storedNames()).toEqual([nameOf(first)]);
    });

    test("a new first key encrypts from then on, and both keys are required", async () => {
      const before = (await open(first)).seal("made before", "test");
      const rotated = await open(second, first);
      expect(rotated.open(before, "test")).toBe("made before");
      expect(rotated.seal("made after", "test").toString("hex", 0, 4)).toBe(nameOf(second));
      expect(await storedNames()).toEqual([nameOf(first), nameOf(second)].sort());
      for (const key of [first, second]) await expect(open(key)).rejects.toThrow("is encrypted with key");
    });
  });

  describe("a key in the data directory", () => {
    const storage = useStorage(engine);
    const open = () =>
      openKeyring(storage.open, { configured: [], dataDirectory: storage.dataDirectory, now: storage.clock.now() });
    const file = () => join(storage.dataDirectory, "encryption-key");

    test("is created at the first start, readable only by its owner, and used at the next", async () => {
      const sealed = (await open()).seal("text", "test");
      expect((statSync(file()).mode & 0o777).toString(8)).toBe("600");
      expect(Buffer.from(readFileSync(file(), "utf8"), "base64")).toHaveLength(32);
      expect((await open()).open(sealed, "test")).toBe("text");
    });

    test("a key in the data directory that was deleted is not replaced: the start fails, and creates no new file", async () => {
      const key = readFileSync(file(), "utf8");
      const name = nameOf(Buffer.from(key, "base64"));
      rmSync(file());
      await expect(open()).rejects.toThrow(
        `This database is encrypted with key ${name}, and this server has none. Set TOLLGATE_ENCRYPTION_KEY`,
      );
      await expect(open()).rejects.toThrow(
        `start once with TOLLGATE_ACCEPT_KEY_LOSS=${name}: API keys that were encrypted`,
      );
      expect(existsSync(file())).toBe(false);
      writeFileSync(file(), key);
      await open();
    });

    test("a key in the data directory that is damaged is rejected by name", async () => {
      writeFileSync(file(), "damaged\n");
      await expect(open()).rejects.toThrow(`${file()} does not contain an encryption key (32 bytes in base64).`);
    });
  });

  describe("a key that is permanently lost", () => {
    const storage = useStorage(engine);
    const warnings: string[] = [];
    const open = (configured: Buffer[], acceptedLosses: string[] = []) =>
      openKeyring(storage.open, {
        configured,
        dataDirectory: storage.dataDirectory,
        acceptedLosses,
        now: storage.clock.now(),
        warn: (message) => warnings.push(message),
      });

    test("is accepted as lost only by its name, once, with a warning of the consequences", async () => {
      const sealed = (await open([first])).seal("text", "test");
      await expect(open([second], [nameOf(second)])).rejects.toThrow("is encrypted with key");
      const keyring = await open([second], [nameOf(first)]);
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toStartWith(`encryption key ${nameOf(first)} is declared lost: API keys that were encrypted`);
      expect(() => keyring.open(sealed, "test")).toThrow(MissingKey);
      await open([second]);
      expect(warnings).toHaveLength(1);
      // The setting that remains does not declare the next key lost.
      await expect(open([randomBytes(32)], [nameOf(first)])).rejects.toThrow("is encrypted with key");
      // A key that is found again decrypts its values.
      expect((await open([second, first])).open(sealed, "test")).toBe("text");
    });
  });

  describe("nodes that start concurrently, each with its own key", () => {
    const storage = useStorage(engine);

    test("do not both encrypt: one wins, the others are rejected", async () => {
      for (let round = 0; round < 10; round++) {
        await storage.open.write(({ query }) => query.deleteFrom("encryption_keys").execute());
        const outcomes = await Promise.allSettled(
          Array.from({ length: 6 }, () =>
            openKeyring(storage.open, {
              configured: [randomBytes(32)],
              dataDirectory: storage.dataDirectory,
              now: storage.clock.now(),
            }),
          ),
        );
        expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1);
      }
    });
  });
});
