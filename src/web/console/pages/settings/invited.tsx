import type { InvitedMember } from "../../../../client/index.ts";
import { Code } from "../../../components/copy.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Notice } from "../../../components/notice.tsx";

/** The link of an invitation, once, if the server sends no mail. */
export function Invited({ member, onClose }: { member: InvitedMember; onClose: () => void }) {
  const { email, invitationUrl } = member;
  return (
    <Dialog
      title={`${email} is invited`}
      isWide
      isStubborn={invitationUrl !== undefined}
      onClose={onClose}
      closeLabel={invitationUrl === undefined ? "Done" : "I have copied it"}
    >
      {invitationUrl === undefined ? (
        <p>The invitation is sent by mail. It is valid for 7 days.</p>
      ) : (
        <>
          <Notice kind="warning">
            This server sends no mail. Copy the link and pass it on: it is not shown again, works once, and for 7 days.
          </Notice>
          <Code text={invitationUrl} isSecret />
        </>
      )}
    </Dialog>
  );
}
