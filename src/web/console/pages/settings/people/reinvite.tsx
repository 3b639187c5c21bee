import { useState } from "react";
import type { InvitedMember, Member } from "../../../../../client/index.ts";
import { Confirm } from "../../../../components/confirm.tsx";
import { command } from "../../../../lib/shell.ts";
import { useSession } from "../../../queries/session.tsx";
import { CopyAs } from "../../../shell/requests.tsx";
import { Invited } from "./invited.tsx";

export function Reinvite({ member, onClose, onDone }: { member: Member; onClose: () => void; onDone: () => void }) {
  const { api, account } = useSession();
  const [invited, setInvited] = useState<InvitedMember>();
  if (invited) return <Invited member={invited} onClose={onClose} />;
  return (
    <Confirm
      title={`Invite ${member.email} again?`}
      action="Invite again"
      isSafe
      footStart={
        <CopyAs
          request={{ method: "POST", path: `/v1/accounts/${account}/members/${member.id}/$invite`, body: {} }}
          command={command("members", "resend", member.id)}
        />
      }
      run={async () => setInvited(await api.members.inviteAgain(member.id))}
      onDone={onDone}
      onClose={onClose}
    >
      <p>The invitation is valid for 7 days from now. Links from before stop working.</p>
    </Confirm>
  );
}
