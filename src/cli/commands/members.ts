import type { InvitedMember } from "../../client/index.ts";
import { changesOf, clearOption } from "../arguments/changes.ts";
import { argument, formed, listOption, oneOf, option, requiredOption } from "../arguments/values.ts";
import { group, resource } from "../connection/resource.ts";
import { showList, showResource } from "../output/show.ts";
import type { Terminal } from "../terminal/terminal.ts";

const projectOption = {
  project: listOption(
    "a project that the role is limited to",
    formed(
      "NAME=editor|reader",
      /^(.+)=(editor|reader)$/,
      (project, role) => ({ project, role: role as "editor" | "reader" }),
      "a project and its role, such as orders=reader",
    ),
  ),
};

const member = resource({
  one: "a member",
  id: { id: argument("the member's id") },
  sample: "prsn_0QGzNqW81Kx8VhTb3mPcRdZu",
  api: (client) => client.members,
});

export const members = group({
  name: "members",
  summary: "The people of an account, and invitations",
  aliases: { remove: "delete" },
  commands: {
    list: member.list({
      summary: "List the people of the account",
      columns: ["id", "email", "name", "role", "state", "signedInOn", "invitationExpiresOn"],
      examples: "Their roles, and invitations that are not accepted yet.",
    }),
    invite: member.command({
      summary: "Invite a person to the account",
      details:
        "Roles: admin (everything), editor (everything except tokens and members), reader (read only, keys masked), billing (like " +
        "reader, and may change plans, subscriptions, customers, credits, invoices and the billing profile). The invitation is valid once, for 7 days.",
      arguments: { email: argument("their address") },
      options: {
        role: requiredOption("what they may do", oneOf("admin", "editor", "reader", "billing")),
        name: option("their name"),
        ...projectOption,
      },
      examples: {
        "tollgate members invite ada@acme.example --role editor": "May change everything except access.",
        "tollgate members invite bob@acme.example --role editor --project orders=editor":
          "Only the gateways of one project.",
      },
      call: (api, { email, role, name, project: projects }) => api.invite({ email, role, name, projects }),
      show: showInvited,
    }),
    resend: member.action({
      summary: "Repeat an invitation that was not accepted",
      examples: "For 7 days from now. The link from before stops working.",
      call: (api, id) => api.inviteAgain(id),
      show: showInvited,
    }),
    show: member.show({ examples: "Role, projects, last sign-in." }),
    update: member.action({
      summary: "Change the role or the name of a member",
      options: {
        role: option("what they may do", oneOf("admin", "editor", "reader", "billing")),
        name: option("their name"),
        ...projectOption,
        ...clearOption("name", "projects"),
      },
      examples: {
        "tollgate members update prsn_0QGzNqW81Kx8VhTb3mPcRdZu --role reader": "From their next request on.",
        "tollgate members update prsn_0QGzNqW81Kx8VhTb3mPcRdZu --clear projects": "The role is for the whole account.",
      },
      call: (api, id, { role, name, project: projects, clear }) =>
        api.update(id, changesOf({ role, name, projects }, clear)),
    }),
    delete: member.delete({
      summary: "Delete a member: their sessions end immediately",
      details:
        "Lists the tokens that they created, which still work. Also withdraws an invitation that is not accepted yet.",
      effect: "whose sessions end immediately",
      examples: "Asks first.",
      call: (api, id) => api.remove(id),
      show({ sessions, tokens }, terminal) {
        terminal.note(`${sessions} of their sessions ended.`);
        if (tokens.length === 0) return;
        terminal.note(
          "They created these tokens, which still work. Delete those you do not want: tollgate tokens delete",
        );
        showList(terminal, tokens, ["id", "name", "role", "createdOn", "lastUsedOn"]);
      },
    }),
  },
});

const session = resource({
  one: "a session",
  id: { id: argument("the session's id") },
  sample: "sess_0QGzNqW81Kx8VhTb3mPcRdZu",
  api: (client) => client.sessions,
});

export const sessions = group({
  name: "sessions",
  summary: "Browsers that are signed in",
  aliases: { end: "delete" },
  commands: {
    list: session.listOf({
      summary: "List the browsers that are signed in to the account",
      columns: ["id", "owner", "method", "ip", "createdOn", "lastUsedOn", "expiresOn"],
      examples: "With their users, and when they were last used.",
      read: (api, query) => api.listOfAccount(query),
      row: ({ owner }) => ({ owner: owner.name ?? owner.id }),
    }),
    delete: session.delete({
      summary: "Delete a session: the browser is signed out immediately",
      effect: "whose browser is signed out immediately",
      examples: "Asks first.",
      call: (api, id) => api.deleteOfAccount(id),
    }),
  },
});

/** An invitation, and what happens next with its link. */
function showInvited(member: InvitedMember, terminal: Terminal): void {
  showResource(terminal, member);
  const next = member.invitationUrl
    ? "This server sends no mail: pass on the link now, it is not shown again."
    : `The invitation is sent to ${member.email}.`;
  terminal.note(next, "yellow");
}
