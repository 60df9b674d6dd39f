"""Made-up fixtures: believable, and the same for a seed.

`document` is the entrance; `plan` says how much there is to be. `shape` nests, `words`
holds the forms of names for each language, `names` fills them with what Faker makes up,
and `chance` draws. Nothing is asked of clock or environment.
"""
