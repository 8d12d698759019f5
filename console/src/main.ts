import { ConsoleApp } from "./app.js";
import { ClusterPage } from "./pages/cluster.js";
import { LoginForm } from "./pages/login.js";
import { NowPage } from "./pages/now.js";
import { PromisesPage } from "./pages/promises.js";
import { SessionsPage } from "./pages/sessions.js";
import { SettingsPage } from "./pages/settings.js";
import { SubjectMap } from "./pages/subject-map.js";
import { SubjectsPage } from "./pages/subjects.js";
import { TryPage } from "./pages/try.js";

const ELEMENTS = {
  "login-form": LoginForm,
  "now-page": NowPage,
  "sessions-page": SessionsPage,
  "subject-map": SubjectMap,
  "subjects-page": SubjectsPage,
  "try-page": TryPage,
  "cluster-page": ClusterPage,
  "promises-page": PromisesPage,
  "settings-page": SettingsPage,
  "console-app": ConsoleApp,
};

for (const [name, element] of Object.entries(ELEMENTS)) customElements.define(name, element);
