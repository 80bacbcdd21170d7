import { App } from "./app";
import { openSource } from "./source";

const root = document.getElementById("app");
if (root) void new App(root, openSource()).start();
