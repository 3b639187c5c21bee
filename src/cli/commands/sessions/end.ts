import { argument } from "../../arguments/values.ts";
import { deleteCommand } from "../../connection/remote.ts";

export const command = deleteCommand({
  summary: "End a session: the browser is signed out immediately",
  arguments: { id: argument("the session's id") },
  options: {},
  examples: [{ command: "tollgate sessions end sess_0QGzNqW81Kx8VhTb3mPcRdZu", text: "Asks first." }],
  verb: { prompt: "End", done: "Ended" },
  what: ({ id }) => `the session ${id}, whose browser is signed out immediately`,
  delete: (client, { id }) => client.sessions.deleteOfAccount(id),
});
