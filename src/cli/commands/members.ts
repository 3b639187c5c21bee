import type { Session } from "../../client/index.ts";
import { changesOf, clearOption } from "../arguments/changes.ts";
import { defineCommand } from "../arguments/command.ts";
import { argument, oneOf, option, requiredOption } from "../arguments/values.ts";
import {
  connectTo,
  deleteCommand,
  listCommand,
  reject,
  remoteCommand,
  remoteOptions,
  yesOption,
} from "../connection/remote.ts";
import { group } from "../connection/resource.ts";
import { projectRolesOption } from "../options/project-role-option.ts";
import { showInvited } from "../output/invited.ts";
import { showList } from "../output/show.ts";
import { confirm } from "../terminal/prompts.ts";

export const members = group({
  name: "members",
  summary: "The people of an account, and invitations",
  commands: {
    list: listCommand({
      summary: "List the people of the account",
      examples: { "tollgate members list": "Who may do what, and who has not accepted yet." },
      things: "members",
      columns: ["id", "email", "name", "role", "state", "signedInOn", "invitationExpiresOn"],
      list: (client, paging) => client.members.list(paging),
    }),
    invite: remoteCommand({
      summary: "Invite a person to the account",
      details:
        "Roles: admin (everything), editor (everything except tokens and members), reader (read only, keys masked), billing (like " +
        "reader, and may change plans, subscriptions, customers, credits, invoices and the billing profile). The invitation is valid once, for 7 days.",
      arguments: { email: argument("their address") },
      options: {
        role: requiredOption("what they may do", oneOf("admin", "editor", "reader", "billing")),
        name: option("their name"),
        project: projectRolesOption(),
      },
      examples: {
        "tollgate members invite ada@acme.example --role editor": "They may change all but access.",
        "tollgate members invite bob@acme.example --role editor --project orders=editor":
          "Only the gateways of one project.",
      },
      call: (client, { email, role, name, project: projects }) =>
        client.members.invite({ email, role, name, projects }),
      show: showInvited,
    }),
    resend: remoteCommand({
      summary: "Repeat an invitation that was not accepted",
      arguments: { id: argument("the member's id") },
      examples: {
        "tollgate members resend prsn_0QGzNqW81Kx8VhTb3mPcRdZu":
          "For 7 days from now. The link from before stops working.",
      },
      call: (client, { id }) => client.members.inviteAgain(id),
      show: showInvited,
    }),
    show: remoteCommand({
      summary: "Show a member",
      arguments: { id: argument("the member's id") },
      examples: { "tollgate members show prsn_0QGzNqW81Kx8VhTb3mPcRdZu": "Role, projects, last sign-in." },
      call: (client, { id }) => client.members.get(id),
    }),
    update: remoteCommand({
      summary: "Change the role or the name of a member",
      arguments: { id: argument("the member's id") },
      options: {
        role: option("what they may do", oneOf("admin", "editor", "reader", "billing")),
        name: option("their name"),
        project: projectRolesOption(),
        ...clearOption("name", "projects"),
      },
      examples: {
        "tollgate members update prsn_0QGzNqW81Kx8VhTb3mPcRdZu --role reader": "From their next request on.",
        "tollgate members update prsn_0QGzNqW81Kx8VhTb3mPcRdZu --clear projects": "The role is for the whole account.",
      },
      call: (client, { id, role, name, project: projects, clear }) =>
        client.members.update(id, changesOf({ role, name, projects }, clear)),
    }),
    remove: defineCommand({
      summary: "Remove a member: their sessions end immediately",
      details:
        "Lists the tokens that they created, which still work. Also withdraws an invitation that is not accepted yet.",
      arguments: { id: argument("the member's id") },
      options: { ...yesOption, ...remoteOptions },
      examples: { "tollgate members remove prsn_0QGzNqW81Kx8VhTb3mPcRdZu": "Asks first." },
      async run({ id, yes, json, ...target }, context) {
        const { terminal } = context;
        const client = await connectTo(target, context);
        if (!yes && !(await confirm(terminal, `Remove the member ${id}, whose sessions end immediately?`)))
          return reject(context);
        const removed = await client.members.remove(id);
        if (json) terminal.printJson(removed);
        else {
          terminal.note(`Removed the member ${id}; ${removed.sessions} of their sessions ended.`);
          if (removed.tokens.length > 0) {
            terminal.note(
              "They created these tokens, which still work. Delete those you do not want: tollgate tokens delete",
            );
            showList(terminal, removed.tokens, ["id", "name", "role", "createdOn", "lastUsedOn"]);
          }
        }
        return undefined;
      },
    }),
  },
});

export const sessions = group({
  name: "sessions",
  summary: "Browsers that are signed in",
  commands: {
    list: listCommand({
      summary: "List the browsers that are signed in to the account",
      examples: { "tollgate sessions list": "Whose they are, and when they were last used." },
      things: "sessions",
      columns: ["id", "owner", "method", "ip", "createdOn", "lastUsedOn", "expiresOn"],
      row: ({ owner }: Session) => ({ owner: owner.name ?? owner.id }),
      list: (client, paging) => client.sessions.listOfAccount(paging),
    }),
    end: deleteCommand({
      summary: "End a session: the browser is signed out immediately",
      arguments: { id: argument("the session's id") },
      examples: { "tollgate sessions end sess_0QGzNqW81Kx8VhTb3mPcRdZu": "Asks first." },
      verb: { prompt: "End", done: "Ended" },
      what: ({ id }) => `the session ${id}, whose browser is signed out immediately`,
      delete: (client, { id }) => client.sessions.deleteOfAccount(id),
    }),
  },
});
