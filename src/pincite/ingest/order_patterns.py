"""The sentences that `injected_orders` looks for, as data.

A line is `first words > rest`: the rest is a regular expression over small letters in which a space
stands for what may divide two words, and `~` for up to four words between. To add a language, add
its lines here and a sentence of it to the tests.
"""

from __future__ import annotations

_EARLIER = "(?:previous|prior|preceding|earlier|above|foregoing|existing|original)"
_INSTRUCTIONS = "(?:instruction|prompt|direction|directive|guideline|command|constraint)s?"
_MODEL = (
    r"(?:ai|a\.i\.|llms?|(?:large )?language models?|chat ?bots?|chatgpt|gpt|claude|gemini|copilot"
    r"|ai assistants?)\b"
)

ALONE = {
    "en": (
        f"ignore|disregard|forget|override > ~{_EARLIER}~{_INSTRUCTIONS}",
        f"ignore|disregard|forget >  (?:all )?(?:of )?your~(?:{_INSTRUCTIONS}|training)",
        f"ignore|disregard|forget >  (?:all )?(?:the )?{_INSTRUCTIONS} (?:above|before|so far)",
        "reveal|print|output|repeat|leak|disclose|show me > ~system (?:prompt|message|instructions)",
        "new system > (?: prompt| instructions?) ?:",
        f"if you are >  (?:an? |the )?{_MODEL}",
        f"instructions for|instruction to|note to|message to|attention > (?: all| any| the)? {_MODEL}:",
        "you are now >  (?:dan|jailbroken|in developer mode|unrestricted)\\b",
        f"you are now >  (?:an?|my)~{_MODEL}",
        "give a positive > ~review only",
    ),
    "de": (
        "ignorier|missacht|vergiss|vergess > \\w*~(?:vorherig|bisherig|vorangehend|vorangegangen"
        "|obig|früher)\\w*~(?:anweisung|anleitung|instruktion|befehl|vorgabe)",
    ),
    "fr": (
        "ignore|oublie|ne tiens pas compte|ne tenez pas compte > [rz]?~(?:instruction|consigne"
        "|directive|ordre)s?~(?:précédent|antérieur|ci-dessus)",
    ),
    "es": (
        "ignora|ignore|olvida|olvide|haz caso omiso > r?~(?:instrucciones|órdenes|indicaciones"
        "|directrices)~(?:anteriores|previas|precedentes)",
    ),
    "it": (
        "ignora|dimentica > (?:re|te)?~(?:istruzioni|indicazioni|direttive)~(?:precedenti|anteriori)",
        "ignora|dimentica > (?:re|te)?~precedenti~(?:istruzioni|indicazioni|direttive)",
    ),
    "pt": (
        "ignore|ignora|esqueça|desconsidere > r?~(?:instruções|orientações|diretrizes|ordens)"
        "~(?:anteriores|prévias|acima)",
    ),
    "nl": (
        "negeer|vergeet > ~(?:vorige|eerdere|voorgaande|bovenstaande)~(?:instructies|opdrachten"
        "|aanwijzingen)",
    ),
    "pl": (
        "ignoruj|zignoruj|pomiń|zapomnij o > ~(?:poprzedni|wcześniejsz|powyższ)\\w*~(?:instrukcj"
        "|poleceni)",
    ),
    "ru": (
        "игнориру|проигнориру|забуд > \\w*~(?:предыдущ|прежни|вышеуказанн)\\w*~(?:инструкци|указани"
        "|команд)",
    ),
    "zh": (
        "忽略|无视|忘记|無視|忘記 > .{0,6}(?:之前|以前|上述|以上|先前|前面).{0,6}"
        "(?:指令|指示|提示|命令)",
    ),
    "ja": (
        "以前の|これまでの|上記の|先ほどの > .{0,8}(?:指示|命令|プロンプト).{0,6}(?:無視|忘れ)",
    ),
    "ko": ("이전|앞의|위의 > .{0,10}(?:지시|명령|프롬프트).{0,8}(?:무시|잊)",),
    "ar": ("تجاهل|انس > \\w*~(?:التعليمات|الأوامر|التوجيهات)~(?:السابقة|أعلاه)",),
}

NEAR_A_MODEL = {
    "en": (
        "do not|don't|never >  (?:tell|inform|alert|notify) the user",
        "without >  (?:telling|informing|alerting|notifying) the user",
        "you are now >  an?\\b",
        "from now on >  you (?:are|will|must)\\b",
        "pretend|act as > ~(?:without|no) (?:restrictions|rules|filters)",
        "ignore|disregard >  (?:all|any) (?:rules|safety|restrictions)",
    ),
    "de": ("dem nutzer|dem benutzer >  nicht", "du bist >  (?:jetzt|nun) ein"),
    "fr": (
        "ne dis|ne dites > ~l'utilisateur",
        "tu es|vous êtes >  (?:désormais|maintenant) une?\\b",
    ),
    "es": ("no digas|no le digas|no diga > ~usuario", "ahora eres >  una?\\b"),
    "it": ("non dire|non dirlo > ~utente", "ora sei >  une?\\b"),
    "pt": ("não diga|não conte|não informe > ~usuário", "agora você é >  uma?\\b"),
    "nl": ("vertel de gebruiker|vertel het de gebruiker >  niet", "je bent nu >  een"),
    "pl": ("nie mów > ~użytkownikowi", "jesteś teraz|od teraz jesteś > "),
    "ru": ("не говори|не сообщай > \\w*~пользовател", "ты теперь|теперь ты > "),
    "zh": ("不要告诉|不要告訴|不要告知|请勿告诉 > (?:用户|用戶|使用者)", "你现在是|你現在是 > "),
    "ja": ("ユーザーに > .{0,8}(?:言わない|伝えない|知らせない)", "あなたは今から > "),
    "ko": ("사용자에게 > .{0,8}말하지", "너는 이제 > "),
    "ar": ("لا تخبر > ~المستخدم", "أنت الآن > "),
}

CHAT_MARKS = (
    *("<|im_start|>", "<|im_end|>", "<|start_header_id|>", "<|eot_id|>", "<|system|>"),
    *("[inst]", "[/inst]", "<<sys>>", "<start_of_turn>"),
)
"""What chat formats put between the turns of a conversation; in small letters."""

ADDRESSES_A_MODEL = (
    r"\b(?:AI|A\.I\.|LLMs?|[Ll]anguage [Mm]odels?|[Cc]hat ?[Bb]ots?|ChatGPT|GPT|Claude|Gemini)\b"
    r"|\bCopilot\b|\b[Aa]ssistants?\b|\b[Pp]rompts?\b|\bKI\b|[Ss]prachmodell|\bIA\b"
    r"|[Mm]odèle de langage|[Mm]odelo de lengua|[Mm]odello linguistico|[Mm]odelo de linguagem"
    r"|[Tt]aalmodel|[Mm]odel językowy"
    r"|\bИИ\b|[Яя]зыков\w+ модел|人工智能|人工智慧|语言模型|語言模型|言語モデル|アシスタント|언어 ?모델"
    r"|الذكاء الاصطناعي"
)
