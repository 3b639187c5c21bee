import { findPebble, pebblePrograms } from "../test/support/find-pebble.ts";
import { install } from "./apt-get.ts";

export async function ensurePebble(): Promise<void> {
  try {
    pebblePrograms.forEach(findPebble);
  } catch (missing) {
    await install(["pebble"], missing);
    pebblePrograms.forEach(findPebble);
  }
}
