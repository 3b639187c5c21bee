import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Notice } from "../../components/notice.tsx";
import { ownInvitations } from "../queries/own-invitations.ts";
import { useSession } from "../queries/session.tsx";

/** Tells a person about invitations that they have neither accepted nor declined. */
export function OpenInvitations() {
  const { identity } = useSession();
  const { data } = useQuery({ ...ownInvitations, enabled: identity.email !== undefined });
  const open = data?.data ?? [];
  if (open.length === 0) return null;
  return (
    <Notice>
      You are invited to {open.map(({ account }) => account).join(", ")}.{" "}
      <Link to="/invitations">Review {open.length === 1 ? "the invitation" : "the invitations"}</Link>
    </Notice>
  );
}
