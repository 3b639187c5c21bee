import type { CreateOptions, TagOptions } from "../transport/options.ts";
import type { RollKey } from "../transport/schema.gen.ts";
import { KeysCalls } from "./resources.gen.ts";

/** The API keys of one consumer. */
export class Keys extends KeysCalls {
  /**
   * Creates a key, and sets the expiry of all keys that have none; a past time revokes them immediately.
   * Returns the id of the new key.
   *
   * @example
   * ```ts
   * const keys = client.keys("main", "acme");
   * const newKeyId = await keys.roll({ expiresOn: "2030-01-31T10:00:00Z" });
   * const { key } = await keys.get(newKeyId, { keyFormat: "visible" });
   * ```
   */
  async roll(roll: RollKey, { tag, ...options }: TagOptions & CreateOptions = {}): Promise<string> {
    const { headers } = await this.transport.send("rollKey", {
      params: this.params,
      query: { tag },
      body: roll,
      options,
    });
    return headers.get("location")!.split("/").at(-1)!;
  }
}
