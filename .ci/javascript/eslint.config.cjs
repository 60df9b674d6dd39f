// What the scripts of console, demo and browser tests are linted by: the recommended rules.
const js = require("@eslint/js");
const globals = require("globals");

module.exports = [
  {
    ...js.configs.recommended,
    languageOptions: { globals: globals.browser, sourceType: "module" },
    rules: {
      ...js.configs.recommended.rules,
      "no-control-regex": "off", // bodies and headers may hold any character
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", ignoreRestSiblings: true, varsIgnorePattern: "^_" }],
    },
  },
];
