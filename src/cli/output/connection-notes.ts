import type { ConnectionOptions } from "../../client/index.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { printable } from "./show.ts";

/** Prints a note once when the connection is lost and when it is back. Otherwise silence would look like no events. */
export function connectionNotes(terminal: Terminal): ConnectionOptions {
  let isLost = false;
  return {
    onLost({ detail }) {
      if (!isLost) terminal.note(`The connection was lost; reconnecting. ${printable(detail)}`, "dim");
      isLost = true;
    },
    onOpen() {
      if (isLost) terminal.note("The connection is back.", "dim");
      isLost = false;
    },
  };
}
