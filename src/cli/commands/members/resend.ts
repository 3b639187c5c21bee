import { argument } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { showInvited } from "../../output/invited.ts";

export const command = remoteCommand({
  summary: "Repeat an invitation that was not accepted",
  arguments: { id: argument("the member's id") },
  options: {},
  examples: [
    {
      command: "tollgate members resend prsn_0QGzNqW81Kx8VhTb3mPcRdZu",
      text: "For 7 days from now. The link from before stops working.",
    },
  ],
  call: (client, { id }) => client.members.inviteAgain(id),
  show: showInvited,
});
