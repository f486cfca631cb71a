"""What can be set, and where it comes from: the environment, the user's file, and what a repository may say."""

from typing import TYPE_CHECKING

from trackdown.doors import door

if TYPE_CHECKING:
    from trackdown.settings.loading import load_settings, user_file
    from trackdown.settings.project_file import MAX_PROJECT_FILE_BYTES, PROJECT_FILE, with_project_file
    from trackdown.settings.spelling import closest, misspelt_variables, unknown_variables
    from trackdown.settings.user_environment import UserFolders, tracker_variables, user_folders
    from trackdown.settings.values import (
        PROJECT_SETTINGS,
        SECRETS,
        Origin,
        Settings,
        default_of,
        help_of_setting,
        setting_names,
        variable_of,
    )
else:
    __getattr__ = door(__name__)
