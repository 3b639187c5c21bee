import { Link } from "@tanstack/react-router";
import { ChevronsUpDown } from "lucide-react";
import { Menu } from "../../components/menu.tsx";
import { useSession } from "../queries/session.tsx";
import { Mark } from "./mark.tsx";
import { type Place, places } from "./places.ts";
import { SavedViews } from "./saved-views.tsx";

export function Sidebar({ onNavigate }: { onNavigate?: () => void }) {
  const link = ({ to, label, icon: Icon }: Place) => (
    <Link
      key={to}
      to={to}
      title={label}
      activeOptions={{ exact: to === "/", includeSearch: false }}
      onClick={onNavigate}
    >
      <Icon size={16} aria-hidden />
      <span>{label}</span>
    </Link>
  );
  const { isLimited } = useSession();
  const shown = isLimited ? places.filter(({ isForProjects }) => isForProjects) : places;
  return (
    <aside className="sidebar">
      <Link className="brand" to="/" onClick={onNavigate}>
        <Mark />
        <span>Tollgate</span>
      </Link>
      <AccountSwitch />
      <nav className="nav" aria-label="Main">
        {shown.filter(({ isSecond }) => !isSecond).map(link)}
        <div className="nav-rule" />
        {shown.filter(({ isSecond }) => isSecond).map(link)}
      </nav>
      {!isLimited && <SavedViews onNavigate={onNavigate} />}
      <div className="sidebar-foot">
        <a href="/docs/guides">Documentation</a>
        <a href="/docs">API reference</a>
        <a href="/openapi.json">OpenAPI</a>
      </div>
    </aside>
  );
}

function AccountSwitch() {
  const { account, accounts, chooseAccount } = useSession();
  if (!accounts)
    return (
      <div className="account" title={`Account ${account}`}>
        <span className="truncate">{account}</span>
      </div>
    );
  return (
    <Menu
      trigger={
        <button type="button" className="account" aria-label={`Account ${account}. Choose another`}>
          <span className="truncate">{account}</span>
          <ChevronsUpDown size={14} aria-hidden />
        </button>
      }
      note="Accounts"
      actions={accounts.map((name) => ({ label: name, onSelect: () => chooseAccount(name) }))}
    />
  );
}
