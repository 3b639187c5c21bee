import { useQuery } from "@tanstack/react-query";
import type { Member } from "../../../../../client/index.ts";
import { Confirm } from "../../../../components/confirm.tsx";
import { Notice } from "../../../../components/notice.tsx";
import { toast } from "../../../../components/toast.tsx";
import { command } from "../../../../lib/shell.ts";
import { useSession } from "../../../queries/session.tsx";
import { CopyAs } from "../../../shell/requests.tsx";

export function RemoveMember({ member, onClose, onDone }: { member: Member; onClose: () => void; onDone: () => void }) {
  const { api, account, identity } = useSession();
  const tokens = useQuery({
    queryKey: ["tokens", "created-by", member.id],
    queryFn: async ({ signal }) =>
      (await api.tokens.list({ signal }).all()).filter(({ createdBy }) => createdBy === member.id),
  });
  return (
    <Confirm
      title={`Remove ${member.email}?`}
      action="Remove member"
      footStart={
        <CopyAs
          request={{ method: "DELETE", path: `/v1/accounts/${account}/members/${member.id}` }}
          command={command("members", "remove", member.id)}
        />
      }
      run={() => api.members.remove(member.id)}
      onClose={onClose}
      onDone={() => {
        onDone();
        toast("Member removed");
        onClose();
      }}
    >
      <p>
        {member.state === "active"
          ? "All their sessions end at once. To come back, they have to be invited again."
          : "The invitation stops working."}
      </p>
      {tokens.data && tokens.data.length > 0 && (
        <Notice kind="warning">
          They created {tokens.data.length === 1 ? "a token" : `${tokens.data.length} tokens`}:{" "}
          {tokens.data.map(({ id, name }) => name ?? id).join(", ")}. Tokens still work until they are deleted.
        </Notice>
      )}
      {member.id === identity.sub && <Notice kind="warning">This is you: you are signed out.</Notice>}
    </Confirm>
  );
}
