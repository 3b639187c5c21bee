import type { ConnectionOptions } from "../../client/index.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { printable } from "./show.ts";

/** Notes that the connection is lost, once for each time, and that it is back: otherwise silence would mean that nothing happens. */
export function connectionNotes(terminal: Terminal): ConnectionOptions {
  let isLost = false;
  return {
    onLost({ detail }) {
      if (!isLost)
        terminal.note(terminal.noteStyle("dim", `The connection is lost and tried again. ${printable(detail)}`));
      isLost = true;
    },
    onOpen() {
      if (isLost) terminal.note(terminal.noteStyle("dim", "The connection is back."));
      isLost = false;
    },
  };
}
